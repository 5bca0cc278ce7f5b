/// The text of message content in commands: `json {…}`, or `text …` for plain text.
extension MsgContent: CommandArgument {
    var commandText: String { "json \(encodeJSONText(self))" }
}

extension CommandScanner {
    mutating func scanMsgContent() throws(CommandParseError) -> MsgContent {
        if skipPrefix(" json") { return try scanJSON() }
        guard skipPrefix(" text") else { throw .malformed }
        return .text(text: try scanRemainder())
    }

    mutating func scanMsgContentIfAny() throws(CommandParseError) -> MsgContent? {
        isAtEnd ? nil : try scanMsgContent()
    }

    /// Parses one message, or a JSON list of messages.
    mutating func scanComposedMessages() throws(CommandParseError) -> [ComposedMessage] {
        guard skipPrefix(" json") else { return [ComposedMessage(msgContent: try scanMsgContent(), mentions: [:])] }
        let messages: [ComposedMessage] = try scanJSON()
        guard !messages.isEmpty, messages.allSatisfy({ $0.fileSource?.cryptoArgs?.hasValidKeyAndNonce ?? true }) else {
            throw .malformed
        }
        return messages
    }

    mutating func scanUpdatedMessage() throws(CommandParseError) -> UpdatedMessage {
        guard skipPrefix(" json") else { return UpdatedMessage(msgContent: try scanMsgContent(), mentions: [:]) }
        return try scanJSON()
    }

    mutating func scanDeleteMode() throws(CommandParseError) -> CIDeleteMode {
        try scanOneOf([.broadcast, .internal, .internalMark, .history])
    }

    /// Parses a reaction. Only reactions that users can send are accepted.
    mutating func scanReaction() throws(CommandParseError) -> MsgReaction {
        let reaction: MsgReaction = try scanJSON()
        guard case .emoji(let emoji) = reaction, MsgReaction.emojis.contains(emoji) else { throw .malformed }
        return reaction
    }
}

extension MsgReaction {
    /// The emojis of the reactions that users can send. Other reactions are shown if they are received. No emoji has a
    /// variation selector.
    package static let emojis: Set<String> = ["👍", "👎", "😀", "😂", "😢", "\u{2764}", "🚀", "✅"]
}

extension CryptoFileArgs {
    /// Whether the file key has 32 bytes and the nonce has 24 bytes, each in base64url with or without padding.
    fileprivate var hasValidKeyAndNonce: Bool {
        Self.isBase64URL(fileKey, bytes: 32) && Self.isBase64URL(fileNonce, bytes: 24)
    }

    private static func isBase64URL(_ text: String, bytes: Int) -> Bool {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let isPadded = text.utf8.count == digits.count || text.utf8.count == (bytes + 2) / 3 * 4
        let hasOnlyDigits = digits.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return digits.count == (bytes * 8 + 5) / 6 && isPadded && hasOnlyDigits
    }
}
