public import ChatAPI

/// The relays of the channel that a client shows (state management, section 5).
public struct ChannelRelaysModel: Hashable, Sendable, Encodable {
    /// The group whose relays these are.
    public private(set) var groupId: Int64?
    /// The link by which relays are invited; only the owner knows it.
    public private(set) var groupLink: GroupLink?
    public private(set) var groupRelays: [GroupRelay] = []

    public init() {}

    /// - Parameter groupLink: nil keeps the known link.
    public mutating func set(groupId: Int64, groupLink: GroupLink? = nil, groupRelays: [GroupRelay]) {
        self.groupLink = groupLink ?? (self.groupId == groupId ? self.groupLink : nil)
        self.groupId = groupId
        self.groupRelays = groupRelays
    }

    public mutating func reset() { self = ChannelRelaysModel() }

    /// Updates one relay. Relays of another channel than the shown one are ignored.
    mutating func update(_ relay: GroupRelay, groupId: Int64) {
        guard self.groupId == groupId else { return }
        if let index = groupRelays.firstIndex(where: { $0.groupRelayId == relay.groupRelayId }) {
            groupRelays[index] = relay
        } else {
            groupRelays.append(relay)
        }
    }
}
