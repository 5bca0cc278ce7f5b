import JSON

/// Parsers for names and texts as people type them: one word, or several words in single quotes. A text may also be a
/// JSON string, with escapes.
extension CommandScanner {
    /// Parses a name at the current position.
    mutating func displayName() throws(CommandParseError) -> String {
        let isQuoted = take("'")
        guard let first = rest.first, !first.isWhitespace, !"#@'".contains(first),
            first.unicodeScalars.allSatisfy({ $0.value > 32 })
        else {
            throw .malformed
        }
        let name = rest.prefix { isQuoted ? $0 != "'" : !$0.isWhitespace && $0 != "," }
        guard !name.isEmpty else { throw .malformed }
        takeFirst(name.count)
        if isQuoted, !take("'") { throw .malformed }
        return String(name)
    }

    /// Parses a space and the name of a contact, with or without the sign `@`.
    mutating func contactName() throws(CommandParseError) -> String {
        guard take(" ") else { throw .malformed }
        _ = take("@")
        return try displayName()
    }

    /// Parses the name of a chat, with its sign, at the current position.
    mutating func chatName() throws(CommandParseError) -> ChatName {
        if take("*") { return ChatName(chatType: .local, chatName: "") }
        if take("@") { return ChatName(chatType: .direct, chatName: try displayName()) }
        if take("#") { return ChatName(chatType: .group, chatName: try displayName()) }
        throw .malformed
    }

    mutating func spacedChatName() throws(CommandParseError) -> ChatName {
        guard take(" ") else { throw .malformed }
        return try chatName()
    }

    /// Parses a space and the name of a chat; nil if no chat follows.
    mutating func chatNameIfAny() throws(CommandParseError) -> ChatName? {
        guard let sign = rest.dropFirst().first, rest.first == " ", "@#*".contains(sign) else { return nil }
        return try spacedChatName()
    }

    /// Parses a space and a message, up to the end of the command.
    mutating func message() throws(CommandParseError) -> String {
        let text = try remainder()
        return (try? JSONValue(parsing: text))?.stringValue ?? text
    }

    /// Parses `(…)`, the beginning of the text of an item.
    mutating func quoted() throws(CommandParseError) -> String {
        guard take("("), let end = rest.firstIndex(of: ")") else { throw .malformed }
        let text = String(rest[..<end])
        takeFirst(text.count + 1)
        return text
    }

    /// Parses a password: a JSON string or one word.
    mutating func password() throws(CommandParseError) -> String { try message() }
    mutating func passwordIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try message() }

    /// Skips the word `incognito` or its first letter.
    /// - Returns: whether the word was found.
    mutating func incognito() -> Bool {
        for word in [" incognito", " i"] where rest == word || rest.hasPrefix(word + " ") { return take(word) }
        return false
    }

    /// Parses the number of items; 10 for a missing number.
    mutating func itemCount() throws(CommandParseError) -> Int { isAtNumber ? try number() : 10 }

    /// Parses the text after the name in a profile, and keeps its first 160 characters.
    mutating func shortDescription() -> String? {
        let text = rest.drop { $0.isWhitespace }
        takeAll()
        return text.isEmpty ? nil : String(String.UnicodeScalarView(text.unicodeScalars.prefix(160)))
    }

    mutating func takeFirst(_ count: Int) { _ = take(String(rest.prefix(count))) }
}

extension ChatName: CommandArgument {
    var commandText: String { chatType == .local ? "*" : chatType.sign + typedName(chatName) }
}

/// Returns a name as it is typed in a command, with quotes if needed.
func typedName(_ name: String) -> String {
    name.contains { $0.isWhitespace || $0 == "," } ? "'\(name)'" : name
}

/// Returns a text in a form that is parsed back unchanged, even if the text looks like JSON or ends in spaces.
func typedMessage(_ text: String) -> String {
    let isPlain =
        (try? JSONValue(parsing: text)) == nil && text.last?.isWhitespace == false && text.first?.isWhitespace == false
    return isPlain ? text : JSONValue.string(text).text
}
