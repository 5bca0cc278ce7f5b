/// The versions of the chat protocol that one side speaks, `v` of every chat message
/// (docs/protocol/simplex-chat.md, "Message syntax").
///
/// The text form is `1-16`, or `5` where both ends are the same.
public struct ChatVersionRange: Sendable, Hashable {
    public let minimum: Int
    public let maximum: Int

    /// What this program offers: all that the apps do, since between contacts nothing is left out. 8 brought compressed messages, 9 several messages in
    /// one, 16 what is behind short links; the others only concern what is sent to members of groups, where nobody can have us yet, and what the
    /// network's own support address does.
    public static let supported = ChatVersionRange(minimum: 1, maximum: 16)

    /// From this version on bodies may be compressed, and contacts have post-quantum encryption.
    static let compression = 8

    /// From this version on several messages to a contact go as one.
    static let batches = 9

    /// The version of a peer that does not say one.
    public static let initial = ChatVersionRange(minimum: 1, maximum: 1)

    init(minimum: Int, maximum: Int) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Nil when the text is no range, or the range is reversed.
    public init?(parsing text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let low = parts.first.flatMap(Self.number) else { return nil }
        let high = parts.count == 2 ? Self.number(parts[1]) : low
        guard let high, low <= high else { return nil }
        self.init(minimum: low, maximum: high)
    }

    public var text: String { minimum == maximum ? "\(minimum)" : "\(minimum)-\(maximum)" }

    /// The highest version that both ranges hold, nil when they do not meet.
    public func compatibleVersion(with other: ChatVersionRange) -> Int? {
        let high = min(maximum, other.maximum)
        return high >= max(minimum, other.minimum) ? high : nil
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= Int(UInt16.max) ? value : nil
    }
}
