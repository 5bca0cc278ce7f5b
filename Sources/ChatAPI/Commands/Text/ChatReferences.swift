/// The text of a chat in commands: a sign and an id (`@1`, `#1`, `*1`, `:1`). A conversation inside a group has a
/// suffix (`#1(_support:5)`).
extension ChatRef: CommandArgument {
    var commandText: String { "\(chatType.sign)\(chatId)\(chatScope.map(\.commandText) ?? "")" }
}

extension ChatType {
    /// The sign of the chat type in the core's chat ids. A contact request has a sign too, but no command accepts it.
    package var sign: String {
        switch self {
        case .direct: "@"
        case .group: "#"
        case .local: "*"
        case .contactRequest: "<@"
        default: ":"
        }
    }
}

extension GroupChatScope: CommandArgument {
    var commandText: String {
        switch self {
        case .memberSupport(nil): "(_support)"
        case .memberSupport(let member?): "(_support:\(member))"
        case .unrecognized: ""
        }
    }
}

extension CommandScanner {
    /// Parses a chat of one of the kinds that the command accepts.
    mutating func scanChat(
        _ kinds: [ChatType] = [.direct, .group, .local, .contactConnection]
    ) throws(CommandParseError) -> ChatRef {
        for kind in kinds where skipPrefix(" \(kind.sign)") {
            let id = try scanLeadingNumber()
            let scope = kind == .group ? try self.scanScope() : nil
            return ChatRef(chatType: kind, chatId: id, chatScope: scope)
        }
        throw .malformed
    }

    /// Parses the id of a chat of this kind, without a conversation inside the chat.
    mutating func scanChatID(_ kind: ChatType) throws(CommandParseError) -> Int64 {
        let word = try scanWord()
        guard word.hasPrefix(kind.sign) else { throw .malformed }
        return try Self.parseNumber(word.dropFirst(kind.sign.count))
    }

    /// Skips the option `(as_group=on)` or `(as_group=off)` after a group.
    /// - Returns: whether the option is `on`.
    mutating func scanAsGroup() -> Bool {
        if skipPrefix("(as_group=on)") { return true }
        _ = skipPrefix("(as_group=off)")
        return false
    }

    /// Parses the digits at the current position, without a space before them.
    mutating func scanLeadingNumber() throws(CommandParseError) -> Int64 {
        let digits = remainingText.prefix { $0.isASCIIDigit }
        _ = skipPrefix(String(digits))
        return try Self.parseNumber(digits)
    }

    private mutating func scanScope() throws(CommandParseError) -> GroupChatScope? {
        if skipPrefix("(_support)") { return .memberSupport(groupMemberId_: nil) }
        guard skipPrefix("(_support:") else { return nil }
        let member = try scanLeadingNumber()
        guard skipPrefix(")") else { throw .malformed }
        return .memberSupport(groupMemberId_: member)
    }
}
