package import ChatAPI

/// The relays of the channel that a client is showing (simplex-chat `apps/ios/spec/state.md`, section 5).
package struct ChannelRelaysModel: Hashable, Sendable, Encodable {
    /// The id of the channel whose relays are shown.
    package private(set) var groupId: Int64?
    /// The link of the channel, by which relays are invited. Only the owner of the channel knows the link.
    package private(set) var groupLink: GroupLink?
    package private(set) var groupRelays: [GroupRelay] = []

    package init() {}

    /// Sets the channel and its relays.
    /// - Parameter groupLink: the link of the channel; nil keeps the known link.
    package mutating func setChannel(groupId: Int64, groupLink: GroupLink? = nil, groupRelays: [GroupRelay]) {
        self.groupLink = groupLink ?? (self.groupId == groupId ? self.groupLink : nil)
        self.groupId = groupId
        self.groupRelays = groupRelays
    }

    /// Updates one relay. A relay of a channel that is not shown is ignored.
    mutating func updateRelay(_ relay: GroupRelay, groupId: Int64) {
        guard self.groupId == groupId else { return }
        if let index = groupRelays.firstIndex(where: { $0.groupRelayId == relay.groupRelayId }) {
            groupRelays[index] = relay
        } else {
            groupRelays.append(relay)
        }
    }
}
