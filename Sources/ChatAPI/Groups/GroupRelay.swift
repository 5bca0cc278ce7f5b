/// A chat relay of a group, and the state of its service for the group.
public struct GroupRelay: Codable, Hashable, Sendable {
    public var groupRelayId: Int64
    public var groupMemberId: Int64
    public var userChatRelay: UserChatRelay
    public var relayStatus: RelayStatus
    public var relayLink: String?
    public var relayCap: RelayCapabilities

    public init(
        groupRelayId: Int64,
        groupMemberId: Int64,
        userChatRelay: UserChatRelay,
        relayStatus: RelayStatus,
        relayLink: String? = nil,
        relayCap: RelayCapabilities
    ) {
        self.groupRelayId = groupRelayId
        self.groupMemberId = groupMemberId
        self.userChatRelay = userChatRelay
        self.relayStatus = relayStatus
        self.relayLink = relayLink
        self.relayCap = relayCap
    }
}
