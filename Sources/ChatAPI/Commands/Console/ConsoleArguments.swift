/// Parsers for values in terminal commands, in the form in which people type them.
extension CommandScanner {
    private static let ttlWords: [(word: String, seconds: Int64)] = [
        ("day", 86400), ("week", 7 * 86400), ("month", 30 * 86400), ("year", 365 * 86400), ("none", 0),
    ]

    /// Converts a word such as `day` or `none` to the time after which items are deleted, in seconds; 0 for never.
    static func parseTTL(_ word: String) throws(CommandParseError) -> Int64 {
        guard let ttl = ttlWords.first(where: { $0.word == word }) else { throw .malformed }
        return ttl.seconds
    }

    static func chooseTTLWord(forTTL seconds: Int64) -> String {
        ttlWords.first { $0.seconds == seconds }?.word ?? "none"
    }

    private static let shortTTLs = [
        "30s": 30, "5min": 300, "1h": 3600, "8h": 8 * 3600, "day": 86400, "week": 7 * 86400, "month": 30 * 86400,
    ]

    /// Parses a preference for disappearing messages: ` yes`, ` yes 1h`, ` 1h` or ` no`. Returns nil at the end of the
    /// command.
    mutating func scanTimedMessagesPreference() throws(CommandParseError) -> ConsoleCommand.TimedMessages? {
        guard var word = try scanWordIfAny() else { return nil }
        if word == "no" { return .off }
        if word == "yes" {
            guard let next = try scanWordIfAny() else { return .onKeepingTTL }
            word = next
        }
        return .on(ttl: try Self.parseShortTTL(word))
    }

    private static func parseShortTTL(_ word: String) throws(CommandParseError) -> Int {
        if let seconds = shortTTLs[word] { return seconds }
        return try parseNumber(word)
    }

    /// Parses the lifetime of messages in a group, and returns it in seconds: ` on 1h` or ` 1h`. Returns nil for
    /// ` off`.
    mutating func scanGroupTTLSeconds() throws(CommandParseError) -> Int? {
        var word = try scanWord()
        if word == "off" { return nil }
        if word == "on" { word = try self.scanWord() }
        return try Self.parseShortTTL(word)
    }

    mutating func scanFeatureAllowed() throws(CommandParseError) -> FeatureAllowed {
        try scanOneOf([.always, .yes, .no])
    }

    /// Parses the settings of an address: ` on` or ` off`. After ` on`, the option ` incognito=on` or ` business` and
    /// an automatic reply (` text …`, ` json …`) may follow.
    mutating func scanAddressSettings() throws(CommandParseError) -> AddressSettings {
        guard try scanOnOff() else { return AddressSettings(businessAddress: false) }
        let isBusiness = skipPrefix(" business")
        let incognito = isBusiness ? false : try scanFlag("incognito") ?? false
        return AddressSettings(
            businessAddress: isBusiness,
            autoAccept: AutoAccept(acceptIncognito: incognito),
            autoReply: try scanMsgContentIfAny()
        )
    }

    /// Parses an emoji, or the character that stands for the emoji in terminal commands.
    mutating func scanTypedReaction() throws(CommandParseError) -> MsgReaction {
        guard let sign = remainingText.first else { throw .malformed }
        skipCharacters(1)
        let emoji = sign == "+" ? "👍" : MsgReaction.emojiSigns.first { $0.sign == sign }?.emoji ?? String(sign)
        let plain = emoji == "❤️" ? "❤" : emoji
        guard ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"].contains(plain) else { throw .malformed }
        return .emoji(emoji: plain)
    }
}

extension MsgReaction {
    /// The characters that stand for emojis in terminal commands. The original accepts only these characters in a
    /// terminal command, because it parses the command byte by byte.
    fileprivate static let emojiSigns: [(sign: Character, emoji: String)] = [
        ("1", "👍"), ("-", "👎"), (")", "😀"), (",", "😢"), ("*", "❤"), ("^", "🚀"),
    ]

    /// Returns the character that stands for an emoji in terminal commands; the emoji itself if it has no character.
    static func chooseSign(of emoji: String) -> String {
        emojiSigns.first { $0.emoji == emoji }.map { String($0.sign) } ?? emoji
    }
}
