/// The versions of the chat protocol that one side supports. Every chat message contains them in `v` (simplex-chat
/// `src/Simplex/Chat/Protocol.hs`).
///
/// The text form is `1-19`, or `5` for a single version.
package struct ChatVersionRange: Sendable, Hashable {
    package let minimum: Int
    package let maximum: Int

    /// The versions of the chat protocol that this program supports. One part of version 18 is missing: relays of this
    /// program make no web previews. So these relays send an empty `relayCap` when they accept a channel, and never
    /// send `x.grp.relay.cap`. Version 18 permits this behaviour. Owners read the capabilities that other relays
    /// announce. All other additions of versions 2 to 19 are implemented.
    package static let supported = ChatVersionRange(minimum: 1, maximum: 19)

    /// The first version with compressed bodies, and with post-quantum encryption between contacts.
    package static let compressionVersion = 8

    /// The first version in which several messages to a contact are sent as one batch.
    package static let batchesVersion = 9

    /// The first version in which two members of a group connect by one link, without becoming contacts.
    package static let groupLinksOnlyVersion = 2

    /// The first version in which a member joins by a group link without becoming a contact first.
    package static let joiningByLinkVersion = 3

    /// The first version in which a new member receives the last messages of the group (its history).
    package static let historyVersion = 5

    /// The first version in which the history of a group includes the group's description.
    package static let historyWithDescriptionVersion = 6

    /// The first version in which the preferences of a business chat are sent without a profile.
    package static let businessPreferencesVersion = 11

    /// The first version in which the relays of a channel store its roster. Such a relay acknowledges the roster before
    /// it is listed in the link of the channel.
    package static let rostersVersion = 19

    /// The version range that this program assumes for a peer that has not sent its versions.
    package static let initial = ChatVersionRange(minimum: 1, maximum: 1)

    package init(minimum: Int, maximum: Int) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Parses the text form, such as `1-19`. Returns nil for another text, and for a range whose first version is
    /// higher than its last version.
    package init?(parsing text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let low = parts.first.flatMap(Self.parseNumber) else { return nil }
        let high = parts.count == 2 ? Self.parseNumber(parts[1]) : low
        guard let high, low <= high else { return nil }
        self.init(minimum: low, maximum: high)
    }

    package var text: String { minimum == maximum ? "\(minimum)" : "\(minimum)-\(maximum)" }

    /// Returns the highest version that both sides support; nil if they have no common version.
    package func compatibleVersion(with other: ChatVersionRange) -> Int? {
        let high = min(maximum, other.maximum)
        return high >= max(minimum, other.minimum) ? high : nil
    }

    private static func parseNumber(_ digits: Substring.UTF8View) -> Int? {
        guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= Int(UInt16.max) ? value : nil
    }
}
