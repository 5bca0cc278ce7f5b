internal import ChatAPI
internal import SQLCipher

/// What admins do for members who are not connected to each other yet.
enum GroupForwarding {
    /// Passes a message on to the members whom its author has been introduced to, and who are not connected to it yet.
    /// - Parameter only: the member to whom alone it goes.
    static func forward(_ received: GroupReceiver.Received, to only: MemberRecord? = nil, in group: GroupRecord, _ tx: Transaction) throws {
        guard group.membership.role >= .admin, group.membership.status.isActive, received.forwardedBy == nil else { return }
        let author = received.author
        let members = try GroupIntroductions.unconnected(to: author, tx.db).filter {
            $0.isReachable && (only == nil || only?.memberId == $0.memberId) && group.reaches($0)
        }
        guard !members.isEmpty else { return }
        let forwarded = ForwardedMessage(
            author: author.sharedID, authorName: author.shortName, sentAt: received.brokerTs.text, message: received.json)
        // A message that grows too long by it reaches them only from its author.
        guard let message = try? OutgoingChatMessage(ChatMessage(event: .group(.forward(forwarded))), over: []) else { return }
        try tx.enqueue([message], to: members.compactMap(\.connection))
    }
}

extension GroupRecord {
    /// Whether messages of the chat go to a member: those of a support chat to its member and to the moderators.
    fileprivate func reaches(_ member: MemberRecord) -> Bool {
        guard let supported = supportMember else { return member.status.isCurrent }
        return member.memberId == supported.memberId || member.role >= .moderator && member.status.isCurrent
    }
}

extension MemberRecord {
    /// The name as it goes with forwarded messages.
    var shortName: String { profile.displayName.count <= 16 ? profile.displayName : profile.displayName.prefix(16) + "…" }
}
