/// The versions of the chat protocol that one side supports, `v` of every chat message (simplex-chat `src/Simplex/Chat/Protocol.hs`).
///
/// The text form is `1-19`, or `5` for a single version.
public struct ChatVersionRange: Sendable, Hashable {
    public let minimum: Int
    public let maximum: Int

    /// The offered versions. What 2 to 19 have added is implemented, but for one half of 18: owners take what a relay says of its web previews (`relayCap`, `x.grp.relay.cap`);
    /// relays of this program make none, and so say an empty `relayCap` when they accept a channel, and never send `x.grp.relay.cap`. Both are what 18 has for such a relay.
    public static let supported = ChatVersionRange(minimum: 1, maximum: 19)

    /// From this version on bodies may be compressed, and contacts have post-quantum encryption.
    static let compression = 8

    /// From this version on several messages to a contact go as one.
    static let batches = 9

    /// From this version on members of a group connect to each other by one link alone, without becoming contacts.
    static let groupLinksOnly = 2

    /// From this version on a member joins by the link of a group without becoming a contact first.
    static let joiningByLink = 3

    /// From this version on those who join a group get its last messages.
    static let history = 5

    /// From this version on the group's description comes with those messages.
    static let historyWithDescription = 6

    /// From this version on the preferences of a conversation with a business are sent without a profile.
    static let businessPreferences = 11

    /// From this version on the relays of a channel keep its roster, and say so before the link names them.
    static let rosters = 19

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

    /// The highest common version; nil when there is none.
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
