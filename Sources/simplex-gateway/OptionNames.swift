import ArgumentParser

extension ParsableArguments {
    /// The long names of the options and flags, without the dashes at the beginning, such as `relay-port`.
    static var optionNames: Set<String> {
        var names: Set<String> = []
        for case (let label?, let value) in Mirror(reflecting: Self()).children {
            switch type(of: value) {
            case let group as any OptionGroupNames.Type: names.formUnion(group.names)
            case is any PositionalArgument.Type: break
            default: names.insert(convertToOptionName(label))
            }
        }
        return names
    }

    /// Converts the label of a property's storage, such as `_relayPort`, to the name of the option, `relay-port`.
    private static func convertToOptionName(_ label: String) -> String {
        label.drop { $0 == "_" }.reduce(into: "") { name, letter in
            name += letter.isUppercase ? "-\(letter.lowercased())" : String(letter)
        }
    }
}

extension SimplexGateway {
    /// The names of the options of all commands, without the dashes at the beginning.
    static var optionNames: Set<String> {
        let commands: [any ParsableArguments.Type] = [
            Serve.self, RelayOnly.self, Invite.self, Web.self, Backup.self, Restore.self, Check.self, Key.Add.self,
            Key.List.self, Key.Revoke.self,
        ]
        return commands.reduce(into: []) { $0.formUnion($1.optionNames) }
    }
}

/// A command-line argument that has no option name. The protocol identifies its type at run time.
private protocol PositionalArgument {}

extension Argument: PositionalArgument {}

private protocol OptionGroupNames {
    static var names: Set<String> { get }
}

extension OptionGroup: OptionGroupNames {
    fileprivate static var names: Set<String> { Value.optionNames }
}
