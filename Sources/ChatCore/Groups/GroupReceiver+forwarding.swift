internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText

/// Handles messages that an admin has forwarded for other members. Also finds or creates the authors of forwarded
/// messages, in ordinary groups and in channels. In a channel, a relay forwards the messages.
extension GroupReceiver {
    /// Handles a message that an admin has forwarded for its author.
    mutating func handleForwardedMessage(_ forwarded: ForwardedMessage, _ receiver: MessageReceiver) throws {
        guard sender.role >= .admin else {
            throw ChatFailure(ChatErrorType.groupContactRole(contactName: sender.localDisplayName))
        }
        // A message without an author is a post in the name of a channel, and only relays of channels forward such
        // posts. This group is not a channel, so a message without an author is an error.
        guard let authorID = forwarded.authorID else {
            return receiver.unhandledElements.recordError("x.grp.msg.forward: no author", isMessageError: true)
        }
        let element = MessageElement(.message(forwarded.message))
        guard case .success(.message(let message)) = element.content else {
            return receiver.unhandledElements.recordError("the forwarded message cannot be read")
        }
        guard message.event.isForwardable else {
            return receiver.unhandledElements.recordError(
                "x.grp.msg.forward: \(message.event.tag) is not for forwarding",
                isMessageError: true
            )
        }
        // A message with the user as its author is ignored, since members do not forward the user's messages to the
        // user.
        guard authorID != group.membership.sharedID,
            let author = try findOrCreateAuthor(authorID, of: forwarded, message.event),
            !author.status.isRemoved
        else { return }
        var receiver = receiver
        receiver.author = author
        receiver.forwardedByMemberId = sender.memberId
        // The forwarding member says when the author has sent the message. A time later than the arrival is false, so
        // the time of the arrival replaces it.
        receiver.brokerTs = min(
            Timestamp(parsing: forwarded.relayReceivedAtText) ?? receiver.brokerTs,
            receiver.brokerTs
        )
        try receiveChatMessage(
            ReceivedMessage(
                message: message,
                contents: ReceivedContents(element),
                json: forwarded.message,
                author: author,
                brokerTs: receiver.brokerTs,
                forwardedBy: sender,
                receiver: receiver
            )
        )
    }

    /// The maximum number of members of a group who are known only as authors of forwarded messages.
    private static let maxUnknownMembers: Int64 = 200

    func findOrCreateAuthor(
        _ id: MemberID,
        of forwarded: ForwardedMessage,
        _ event: ChatMessageEvent
    ) throws -> MemberRecord? {
        if let known = try MemberRecord.find(id, in: group, tx.db) { return known }
        if case .group(.leave) = event { return nil }
        let unknown = try tx.db.firstRow(
            """
            SELECT count(*) AS n FROM
            (SELECT 1 FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id AND member_status = 'unknown' LIMIT :limit)
            """,
            ["user_id": user.userId, "group_id": group.groupId, "limit": Self.maxUnknownMembers]
        )
        guard try unknown?.int64("n") ?? 0 < Self.maxUnknownMembers, try !RemovedMembers.contains(id, in: group, tx.db)
        else { return nil }
        let name = forwarded.authorName.isEmpty ? String(id.text.prefix(7)) : forwarded.authorName
        let member = try MemberRecord.create(
            NewMember(
                id: id,
                role: group.isChannel ? .observer : .author,
                category: .post,
                status: .unknown,
                invitedByMemberId: sender.memberId,
                profileId: 0,
                localDisplayName: "",
                versions: .initial
            ),
            profile: Profile(displayName: DisplayName.makeShownPeerName(name), fullName: ""),
            in: group.groupId,
            user,
            tx
        )
        try tx.emit(
            .unknownMemberCreated(
                user: user.api,
                groupInfo: group.api(user),
                forwardedByMember: sender.api,
                member: member.api
            ),
            user: user.userId
        )
        return member
    }
}
