/// Parsers for the menu of a bot as people type it: `'Opening hours':'hours <day>','More':{…}`.
extension CommandScanner {
    mutating func botCommands() throws(CommandParseError) -> [ChatBotCommand] {
        var commands: [ChatBotCommand] = []
        repeat { commands.append(try botCommand(depth: 0)) } while take(",")
        return commands
    }

    private static let maximalDepth = 16

    private mutating func botCommand(depth: Int) throws(CommandParseError) -> ChatBotCommand {
        guard depth < Self.maximalDepth else { throw .malformed }
        let label = menuWord(until: [":"])
        guard take(":"), !label.isEmpty else { throw .malformed }
        if take("{") {
            var commands: [ChatBotCommand] = []
            if take("}") { return .menu(label: label, commands: []) }
            repeat { commands.append(try botCommand(depth: depth + 1)) } while take(",")
            guard take("}") else { throw .malformed }
            return .menu(label: label, commands: commands)
        }
        _ = take("/")
        let words = menuWord(until: [":", ",", "}"]).split(whereSeparator: \.isWhitespace)
        guard let keyword = words.first else { throw .malformed }
        let params = words.dropFirst().joined(separator: " ")
        return .command(keyword: String(keyword), label: label, params: params.isEmpty ? nil : params)
    }

    /// Parses a quoted text, or the text before the first of the given characters.
    private mutating func menuWord(until signs: Set<Character>) -> String {
        if rest.first == "'", let end = rest.dropFirst().firstIndex(of: "'") {
            let word = rest.dropFirst()[..<end]
            takeFirst(word.count + 2)
            return String(word)
        }
        let word = rest.prefix { !signs.contains($0) }
        takeFirst(word.count)
        return String(word)
    }
}

func typedMenu(_ commands: [ChatBotCommand]) -> String {
    commands.map { command in
        switch command {
        case .command(let keyword, let label, let params):
            "\(typedMenuWord(label)):\(typedMenuWord([keyword, params].compactMap { $0 }.joined(separator: " ")))"
        case .menu(let label, let commands): "\(typedMenuWord(label)):{\(typedMenu(commands))}"
        case .unrecognized: ""
        }
    }.joined(separator: ",")
}

private func typedMenuWord(_ word: String) -> String {
    word.contains("'") ? word : "'\(word)'"
}
