/// A chat relay of a group, and the state of its service for the group.
package struct GroupRelay: Codable, Hashable, Sendable {
    package var groupRelayId: Int64
    package var groupMemberId: Int64
    package var userChatRelay: UserChatRelay
    package var relayStatus: RelayStatus
    package var relayLink: String?
    package var relayCap: RelayCapabilities

    package init(
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
