internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Forwarding of messages by an admin between members who are not connected to each other yet.
enum GroupForwarding {
    /// Forwards a message to the members who were introduced to its author and are not connected to the author yet.
    /// - Parameter recipient: the single recipient; nil to forward the message to all of these members.
    static func forwardMessage(
        _ received: GroupReceiver.ReceivedMessage,
        onlyTo recipient: MemberRecord? = nil,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard group.membership.role >= .admin, group.membership.status.isActive, received.forwardedBy == nil else {
            return
        }
        let author = received.author
        let members = try GroupIntroductions.findUnconnectedMembers(to: author, tx.db).filter {
            $0.isReachable && (recipient == nil || recipient?.memberId == $0.memberId) && group.hasRecipient($0)
        }
        guard !members.isEmpty else { return }
        let forwarded = ForwardedMessage(
            author: author.sharedID,
            authorName: author.shortName,
            sentAt: received.brokerTs.text,
            message: received.json
        )
        // A message that is too long for forwarding is not forwarded. The members can get this message only from its
        // author.
        guard let message = try? OutgoingChatMessage(ChatMessage(event: .group(.forward(forwarded))), over: []) else {
            return
        }
        try tx.enqueue([message], to: members.compactMap(\.connection))
    }
}

extension GroupRecord {
    /// Whether a member receives the messages of the chat. The messages of a support chat are sent only to the
    /// supported member and to moderators.
    fileprivate func hasRecipient(_ member: MemberRecord) -> Bool {
        guard let supported = supportMember else { return member.status.isCurrent }
        return member.memberId == supported.memberId || member.role >= .moderator && member.status.isCurrent
    }
}

extension MemberRecord {
    /// The name of the member as the author of forwarded messages: the display name. A display name of more than 16
    /// characters is cut, and an ellipsis is added.
    var shortName: String {
        profile.displayName.count <= 16 ? profile.displayName : profile.displayName.prefix(16) + "…"
    }
}
