import Files
import Gateway
import Glibc
import JSON

/// Reads the values of options. The value of an option comes from the first of these sources that has it: the flag, the
/// environment variable (`SXGW_RELAY_PORT` for `--relay-port`), the configuration file (`"relay-port"`).
struct Settings {
    private var fileValues = JSONObject()

    /// Reads the configuration file.
    /// - Parameter path: the path of the file; nil for the path in `SXGW_CONFIG`.
    /// - Throws: also for an unknown option name in the file or the environment, because a misspelt option would
    ///   silently have no effect. Options of all commands are accepted, so that the commands can share a file.
    init(file path: String? = nil) throws {
        try Self.refuseUnknownVariables()
        guard let path = try readText("config", path) else { return }
        let content: [UInt8]?
        do throws(FileSystemError) { content = try DiskFiles.readFile(path) } catch {
            throw Failure.configurationFailure(error.description)
        }
        guard let content else { throw Failure.configurationFailure("\(path): no such file") }
        try refuseByteOrderMark(content, path)
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: content) } catch {
            throw Failure.configurationFailure("\(path): \(error)")
        }
        guard let object = value.objectValue else { throw Failure.configurationFailure("\(path): not a JSON object") }
        let known = SimplexGateway.optionNames
        for name in object.keys where !known.contains(name) {
            throw Failure.configurationFailure(
                "\(path): there is no option \(name)\(Self.makeSuggestion(known.findNearestName(to: name)))"
            )
        }
        if object["config"] != nil {
            throw Failure.configurationFailure("\(path): config cannot be set in the configuration file itself")
        }
        fileValues = object
    }

    /// The path of the configuration file in the environment variable `SXGW_CONFIG`.
    static var configFile: String? { readEnvironmentValue("config") }

    private static let variablePrefix = "SXGW_"
    /// The environment variable with the API key, for the commands `invite`, `web`, `backup` and `restore`, and for the
    /// examples. The key is not an option, because every user of the machine can see the arguments of a process.
    private static let keyVariable = variablePrefix + "KEY"

    static var apiKey: String? { getenv(keyVariable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } }

    private static func variableName(_ name: String) -> String {
        variablePrefix + name.uppercased().replacing("-", with: "_")
    }

    /// Returns the value of an option's environment variable, which may be empty; nil when the variable is not set.
    private static func readEnvironmentValue(_ name: String) -> String? {
        getenv(variableName(name)).map { String(cString: $0) }
    }

    private static func refuseUnknownVariables() throws {
        let known = Set(SimplexGateway.optionNames.map(variableName)).union([keyVariable])
        for name in readVariableNames().sorted() where name.hasPrefix(variablePrefix) && !known.contains(name) {
            throw Failure.configurationFailure(
                "there is no option for the environment variable \(name)\(makeSuggestion(known.findNearestName(to: name)))"
            )
        }
    }

    /// Returns the names of all environment variables.
    private static func readVariableNames() -> [String] {
        // The C library's list of variables is not used, since any part of the process could change it while it is
        // read.
        let environment = (try? DiskFiles.readFile("/proc/self/environ")) ?? []
        return environment.split(separator: 0).map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        }
    }

    private static func makeSuggestion(_ nearest: String?) -> String { nearest.map { ". Did you mean \($0)?" } ?? "" }

    /// Returns the text of an option; nil when the option is not set.
    /// - Throws: also for an empty value, because an empty value often comes from an unset variable in a script.
    func readText(_ name: String, _ flag: String?) throws -> String? {
        guard let value = try readConfiguredText(name, flag) else { return nil }
        guard !value.allSatisfy(\.isWhitespace) else {
            throw Failure.configurationFailure("\(name) is empty: give it a value, or leave it out")
        }
        return value
    }

    private func readConfiguredText(_ name: String, _ flag: String?) throws -> String? {
        if let value = flag ?? Self.readEnvironmentValue(name) { return value }
        switch fileValues[name] {
        case nil, .null: return nil
        case .string(let value): return value
        case .integer(let value): return String(value)
        // No option with a number accepts a fraction. The text is returned, so that the caller of such an option
        // refuses the text, and shows it in the error.
        case .real(let value): return String(value)
        case .bool(let value): return String(value)
        default: throw Failure.configurationFailure("\(name) in the configuration file is not a text or a number")
        }
    }

    /// Returns the path of the file that an option names. Without the option, returns the path of the service manager's
    /// credential that has the option's name (`LoadCredential=` in systemd.exec(5)).
    func readPath(_ name: String, _ flag: String?) throws -> String? {
        if let path = try readText(name, flag) { return path }
        guard let folder = getenv("CREDENTIALS_DIRECTORY") else { return nil }
        let path = String(cString: folder) + "/" + name
        if access(path, R_OK) == 0 { return path }
        // An unreadable credential is an error, since a missing secret could expose the data that it protects.
        guard errno == ENOENT else {
            throw Failure.configurationFailure(
                "the credential \(path) cannot be read: \(String(cString: strerror(errno)))"
            )
        }
        return nil
    }

    /// Returns the values of an option that may be repeated: from the flags, a comma-separated environment variable, or
    /// an array in the file.
    func readList(_ name: String, _ flags: [String]) throws -> [String] {
        if !flags.isEmpty { return flags }
        if let variable = Self.readEnvironmentValue(name) { return variable.split(separator: ",").map(String.init) }
        guard let value = fileValues[name] else { return [] }
        if let text = value.stringValue { return [text] }
        guard let texts = value.arrayValue?.map(\.stringValue), !texts.contains(nil) else {
            throw Failure.configurationFailure("\(name) in the configuration file is not a list of texts")
        }
        return texts.compactMap { $0 }
    }

    func isSet(_ name: String, _ flag: Bool) throws -> Bool {
        if flag { return true }
        switch try readText(name, nil) {
        case nil, "false", "0", "no": return false
        case "true", "1", "yes": return true
        case let other?: throw Failure.configurationFailure("\(name) is \(other), but must be true or false")
        }
    }

    /// Returns the number in an option, from 1 to `most`; nil when the option is not set.
    func readPositiveNumber(_ name: String, _ flag: Int?, upTo most: Int = .max) throws -> Int? {
        guard let text = try readText(name, flag.map(String.init)) else { return nil }
        guard let number = Int(text), number > 0, number <= most else {
            let hint =
                text.first?.isNumber == true && Int(text) == nil ? ", without a unit: serve --help names the unit" : ""
            throw Failure.configurationFailure(
                "\(name) is \(text), but must be a whole number from 1\(most == .max ? "" : " to \(most)")\(hint)"
            )
        }
        return number
    }

    /// Returns the id of a profile or a phone in an option; nil when the option is not set.
    func readID(_ name: String, _ flag: Int64?) throws -> Int64? {
        try readPositiveNumber(name, flag.map { Int($0) }).map { Int64($0) }
    }

    func readPort(_ name: String, _ flag: Int?, default standard: Int) throws -> Int {
        try readOptionalPort(name, flag) ?? standard
    }

    func readOptionalPort(_ name: String, _ flag: Int?) throws -> Int? {
        guard let text = try readText(name, flag.map(String.init)) else { return nil }
        guard let port = Int(text), (0...65535).contains(port) else {
            throw Failure.configurationFailure("\(name) is \(text), but must be a port: 0 to 65535")
        }
        return port
    }
}
