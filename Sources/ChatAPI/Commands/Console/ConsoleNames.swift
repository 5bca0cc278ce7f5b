import JSON

/// Parsers for names and texts as people type them: one word, or several words in single quotes. A text may also be a
/// JSON string, with escapes.
extension CommandScanner {
    /// Parses the name of a contact, member or group at the current position.
    mutating func scanDisplayName() throws(CommandParseError) -> String {
        let isQuoted = skipPrefix("'")
        guard let first = remainingText.first, !first.isWhitespace, !"#@'".contains(first),
            first.unicodeScalars.allSatisfy({ $0.value > 32 })
        else {
            throw .malformed
        }
        let name = remainingText.prefix { isQuoted ? $0 != "'" : !$0.isWhitespace && $0 != "," }
        guard !name.isEmpty else { throw .malformed }
        skipCharacters(name.count)
        if isQuoted, !skipPrefix("'") { throw .malformed }
        return String(name)
    }

    /// Parses a space and the name of a contact, with or without the sign `@`.
    mutating func scanContactName() throws(CommandParseError) -> String {
        guard skipPrefix(" ") else { throw .malformed }
        _ = skipPrefix("@")
        return try scanDisplayName()
    }

    /// Parses the name of a chat, with its sign, at the current position.
    mutating func scanChatName() throws(CommandParseError) -> ChatName {
        if skipPrefix("*") { return ChatName(chatType: .local, chatName: "") }
        if skipPrefix("@") { return ChatName(chatType: .direct, chatName: try scanDisplayName()) }
        if skipPrefix("#") { return ChatName(chatType: .group, chatName: try scanDisplayName()) }
        throw .malformed
    }

    mutating func scanSpacedChatName() throws(CommandParseError) -> ChatName {
        guard skipPrefix(" ") else { throw .malformed }
        return try scanChatName()
    }

    /// Parses a space and the name of a chat; nil if no chat follows.
    mutating func scanChatNameIfAny() throws(CommandParseError) -> ChatName? {
        guard let sign = remainingText.dropFirst().first, remainingText.first == " ", "@#*".contains(sign) else {
            return nil
        }
        return try scanSpacedChatName()
    }

    /// Parses a space and the text of a message, up to the end of the command.
    mutating func scanMessage() throws(CommandParseError) -> String {
        let text = try scanRemainder()
        return (try? JSONValue(parsing: text))?.stringValue ?? text
    }

    /// Parses a quotation, the beginning of the text of an item in parentheses: `(…)`.
    mutating func scanQuotedText() throws(CommandParseError) -> String {
        guard skipPrefix("("), let end = remainingText.firstIndex(of: ")") else { throw .malformed }
        let text = String(remainingText[..<end])
        skipCharacters(text.count + 1)
        return text
    }

    /// Parses a password: a JSON string or one word.
    mutating func scanPassword() throws(CommandParseError) -> String { try scanMessage() }
    mutating func scanPasswordIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try scanMessage() }

    /// Skips the word `incognito` or its first letter.
    /// - Returns: whether the word was found.
    mutating func skipIncognito() -> Bool {
        for word in [" incognito", " i"] where remainingText == word || remainingText.hasPrefix(word + " ") {
            return skipPrefix(word)
        }
        return false
    }

    /// Parses the number of items to list. If the number is missing, it is 10.
    mutating func scanItemCount() throws(CommandParseError) -> Int { isNumberNext ? try scanNumber() : 10 }

    /// Parses the short description, which is the text after the name in a profile. Only its first 160 characters are
    /// kept.
    mutating func scanShortDescription() -> String? {
        let text = remainingText.drop { $0.isWhitespace }
        skipRest()
        return text.isEmpty ? nil : String(String.UnicodeScalarView(text.unicodeScalars.prefix(160)))
    }

    mutating func skipCharacters(_ count: Int) { _ = skipPrefix(String(remainingText.prefix(count))) }
}

extension ChatName: CommandArgument {
    var commandText: String { chatType == .local ? "*" : chatType.sign + formatName(chatName) }
}

/// Returns a name as it is typed in a command, with quotes if needed.
func formatName(_ name: String) -> String {
    name.contains { $0.isWhitespace || $0 == "," } ? "'\(name)'" : name
}

/// Returns a text in a form that is parsed back unchanged, even if the text looks like JSON or ends in spaces.
func formatMessage(_ text: String) -> String {
    let isPlain =
        (try? JSONValue(parsing: text)) == nil && text.last?.isWhitespace == false && text.first?.isWhitespace == false
    return isPlain ? text : JSONValue.string(text).text
}
