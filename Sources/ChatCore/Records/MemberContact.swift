internal import ChatAPI

/// The origin of a contact who was first a member of a group. The user or the member has created a link for a direct
/// chat, and sends the link to the other side over their connection in the group. A link of the user is sent later, by
/// another command (``isUsed``).
struct MemberContact: Codable, Hashable, Sendable {
    var groupId: Int64
    var memberId: Int64
    var link: String
    /// Whether the member has created the link. If false, the user has created the link.
    var isReceived: Bool
    /// Whether the link was used: the user's link was sent, or the user has connected by the link of the member.
    var isUsed = false

    /// The invitation of the member in the form of the API; nil if the user has created the link.
    var invitation: GroupDirectInvitation? {
        guard isReceived else { return nil }
        return GroupDirectInvitation(
            groupDirectInvLink: link,
            fromGroupId_: groupId,
            fromGroupMemberId_: memberId,
            groupDirectInvStartedConnection: isUsed
        )
    }
}
