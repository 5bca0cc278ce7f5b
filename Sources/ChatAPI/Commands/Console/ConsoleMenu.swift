/// Parsers for the menu of a bot's commands as people type it: `'Opening hours':'hours <day>','More':{…}`.
extension CommandScanner {
    mutating func scanBotCommands() throws(CommandParseError) -> [ChatBotCommand] {
        var commands: [ChatBotCommand] = []
        repeat { commands.append(try scanBotCommand(depth: 0)) } while skipPrefix(",")
        return commands
    }

    private static let maximalDepth = 16

    private mutating func scanBotCommand(depth: Int) throws(CommandParseError) -> ChatBotCommand {
        guard depth < Self.maximalDepth else { throw .malformed }
        let label = scanMenuWord(until: [":"])
        guard skipPrefix(":"), !label.isEmpty else { throw .malformed }
        if skipPrefix("{") {
            var commands: [ChatBotCommand] = []
            if skipPrefix("}") { return .menu(label: label, commands: []) }
            repeat { commands.append(try scanBotCommand(depth: depth + 1)) } while skipPrefix(",")
            guard skipPrefix("}") else { throw .malformed }
            return .menu(label: label, commands: commands)
        }
        _ = skipPrefix("/")
        let words = scanMenuWord(until: [":", ",", "}"]).split(whereSeparator: \.isWhitespace)
        guard let keyword = words.first else { throw .malformed }
        let params = words.dropFirst().joined(separator: " ")
        return .command(keyword: String(keyword), label: label, params: params.isEmpty ? nil : params)
    }

    /// Parses a word of a menu: a quoted text, or the text before the first of the given characters.
    private mutating func scanMenuWord(until signs: Set<Character>) -> String {
        if remainingText.first == "'", let end = remainingText.dropFirst().firstIndex(of: "'") {
            let word = remainingText.dropFirst()[..<end]
            skipCharacters(word.count + 2)
            return String(word)
        }
        let word = remainingText.prefix { !signs.contains($0) }
        skipCharacters(word.count)
        return String(word)
    }
}

func formatMenu(_ commands: [ChatBotCommand]) -> String {
    commands.map { command in
        switch command {
        case .command(let keyword, let label, let params):
            "\(formatMenuWord(label)):\(formatMenuWord([keyword, params].compactMap { $0 }.joined(separator: " ")))"
        case .menu(let label, let commands): "\(formatMenuWord(label)):{\(formatMenu(commands))}"
        case .unrecognized: ""
        }
    }.joined(separator: ",")
}

private func formatMenuWord(_ word: String) -> String {
    word.contains("'") ? word : "'\(word)'"
}
