import JSON

/// Names and texts as people type them: one word, or in single quotes; a text may also be a JSON string, with its
/// escapes.
extension CommandScanner {
    /// A name at this place.
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

    /// A space and the name of a contact, with or without its sign.
    mutating func contactName() throws(CommandParseError) -> String {
        guard take(" ") else { throw .malformed }
        _ = take("@")
        return try displayName()
    }

    /// The name of a chat at this place, with its sign.
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

    /// A space and the name of a chat, if that comes next.
    mutating func chatNameIfAny() throws(CommandParseError) -> ChatName? {
        guard let sign = rest.dropFirst().first, rest.first == " ", "@#*".contains(sign) else { return nil }
        return try spacedChatName()
    }

    /// A space and a message, which is the rest of the text.
    mutating func message() throws(CommandParseError) -> String {
        let text = try remainder()
        return (try? JSONValue(parsing: text))?.stringValue ?? text
    }

    /// `(…)`, the beginning of an item.
    mutating func quoted() throws(CommandParseError) -> String {
        guard take("("), let end = rest.firstIndex(of: ")") else { throw .malformed }
        let text = String(rest[..<end])
        takeFirst(text.count + 1)
        return text
    }

    /// A password: a JSON string or one word.
    mutating func password() throws(CommandParseError) -> String { try message() }
    mutating func passwordIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try message() }

    /// Reads the word `incognito` or its first letter if it comes next.
    mutating func incognito() -> Bool {
        for word in [" incognito", " i"] where rest == word || rest.hasPrefix(word + " ") { return take(word) }
        return false
    }

    /// A number of items, 10 when there is none.
    mutating func itemCount() throws(CommandParseError) -> Int { isAtNumber ? try number() : 10 }

    /// The text after the name in a profile, at most 160 characters.
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

/// A name in the form in which it has to be typed.
func typedName(_ name: String) -> String {
    name.contains { $0.isWhitespace || $0 == "," } ? "'\(name)'" : name
}

/// A text that is parsed back unchanged, even if it looks like JSON or ends in spaces.
func typedMessage(_ text: String) -> String {
    let isPlain =
        (try? JSONValue(parsing: text)) == nil && text.last?.isWhitespace == false && text.first?.isWhitespace == false
    return isPlain ? text : JSONValue.string(text).text
}
