internal import ChatAPI
internal import ChatProtocol
internal import SQLCipher

/// Forwarding of messages by an admin between members who are not connected to each other yet.
enum GroupForwarding {
    /// Forwards a message to members who were introduced to its author, and are not connected to the author yet.
    /// - Parameter only: the only member who gets the message; nil for all of them.
    static func forward(
        _ received: GroupReceiver.Received,
        to only: MemberRecord? = nil,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard group.membership.role >= .admin, group.membership.status.isActive, received.forwardedBy == nil else {
            return
        }
        let author = received.author
        let members = try GroupIntroductions.unconnected(to: author, tx.db).filter {
            $0.isReachable && (only == nil || only?.memberId == $0.memberId) && group.reaches($0)
        }
        guard !members.isEmpty else { return }
        let forwarded = ForwardedMessage(
            author: author.sharedID,
            authorName: author.shortName,
            sentAt: received.brokerTs.text,
            message: received.json
        )
        // A message that is too long for forwarding reaches these members only from its author.
        guard let message = try? OutgoingChatMessage(ChatMessage(event: .group(.forward(forwarded))), over: []) else {
            return
        }
        try tx.enqueue([message], to: members.compactMap(\.connection))
    }
}

extension GroupRecord {
    /// Whether messages of the chat go to a member. Messages of a support chat go to its member and to moderators only.
    fileprivate func reaches(_ member: MemberRecord) -> Bool {
        guard let supported = supportMember else { return member.status.isCurrent }
        return member.memberId == supported.memberId || member.role >= .moderator && member.status.isCurrent
    }
}

extension MemberRecord {
    /// Name that goes with forwarded messages: at most 16 characters and an ellipsis.
    var shortName: String {
        profile.displayName.count <= 16 ? profile.displayName : profile.displayName.prefix(16) + "…"
    }
}
