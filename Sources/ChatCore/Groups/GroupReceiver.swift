internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

/// A handler of the agent messages that one member of a group sends. The handler runs in the transaction of a message.
struct GroupReceiver {
    let user: UserRecord
    let connection: ConnectionRecord
    var group: GroupRecord
    /// The member over whose connection the messages arrive.
    var sender: MemberRecord
    /// The chat of the last message: the chat of the group, or a support chat.
    var currentChat: GroupRecord
    let tx: Transaction

    init(user: UserRecord, connection: ConnectionRecord, membership: GroupMembership, tx: Transaction) {
        self.user = user
        self.connection = connection
        group = membership.group
        currentChat = group
        sender = membership.member
        self.tx = tx
    }

    /// A chat message with its author.
    struct ReceivedMessage {
        let message: ChatMessage
        let contents: ReceivedContents
        /// The message as it was received.
        let json: JSONValue
        var author: MemberRecord
        /// Time at which the server has received the message.
        let brokerTs: Timestamp
        /// The member who has forwarded the message; nil for a message that its author has sent directly.
        let forwardedBy: MemberRecord?
        var receiver: MessageReceiver
        /// The message with its signatures; nil for a message without signatures.
        var signedMessage: SignedMessage?
        /// The result of verifying the signatures; nil for a message without signatures, and outside of channels.
        var signatureStatus: MsgSigStatus? {
            get { receiver.signatureStatus }
            set { receiver.signatureStatus = newValue }
        }

        /// The properties of this message that its items show.
        var itemProperties: ItemProperties {
            ItemProperties(
                messageID: message.sharedID,
                receivedAt: brokerTs,
                signatureStatus: signatureStatus,
                forwardedByMemberId: signatureStatus == nil ? nil : forwardedBy?.memberId
            )
        }
    }

    /// The properties of a message that its items show.
    struct ItemProperties {
        var messageID: SharedMessageID?
        var receivedAt: Timestamp
        /// The result of verifying the signatures; nil for a message without signatures, and outside of channels.
        var signatureStatus: MsgSigStatus?
        var forwardedByMemberId: Int64?
    }

    mutating func receiveParsedMessage(_ parsed: ParsedMessage) throws {
        var receiver = MessageReceiver(user: user, connection: connection, meta: parsed.meta, tx: tx)
        receiver.author = sender
        try IntegrityItems.addErrorItem(parsed.meta.integrity, at: receiver.brokerTs, by: sender, in: &group, user, tx)
        try receiver.handleElements(
            parsed,
            chunk: { chunk in
                if group.isServed { return try receiveChunkAtRelay(chunk) }
                if group.isChannel {
                    return try ChannelRosters.addChunk(chunk, from: sender, in: &group, user, tx) != .unknown
                }
                guard !sender.status.isRemoved, !group.membership.status.isRemoved else { return false }
                return try receiver.receiveInlineChunk(
                    chunk,
                    group.findSupportChat(with: chunk.messageID, by: sender, tx.db) ?? group
                )
            }
        ) { message, contents, element in
            // A message that forwards another one may lack the versions of its sender, so no versions are taken from
            // it.
            if !message.event.isForward { try updateVersions(message.versions) }
            guard !sender.status.isRemoved, !group.membership.status.isRemoved else { return }
            try MemberHandshake.handleFirstMessage(&sender, in: group, user, tx)
            // An earlier message in the same body may have changed the record of the sender, so the present record is
            // used.
            receiver.author = sender
            var received = ReceivedMessage(
                message: message,
                contents: contents,
                json: element.json ?? message.json,
                author: sender,
                brokerTs: receiver.brokerTs,
                forwardedBy: nil,
                receiver: receiver
            )
            received.signedMessage = element.signedMessage
            if group.isChannel { try receiveInChannel(received) } else { try receiveChatMessage(received) }
        }
    }

    private mutating func updateVersions(_ versions: ChatVersionRange) throws {
        guard ChatVersionRange.supported.compatibleVersion(with: versions) != nil else { return }
        try sender.setVersions(versions, tx)
        var connection = connection
        if try connection.updateVersions(versions, in: tx.db) { sender.connection = connection }
    }

    mutating func receiveChatMessage(_ received: ReceivedMessage) throws {
        let event = received.message.event
        if event.isForwardable, try recordAndCheckRepeat(received) { return }
        let errors = received.receiver.unhandledElements.errorCount
        currentChat = group
        try handleMessage(received)
        // A message is not passed on if it caused an error: its author may not send it, or this program does not show
        // it.
        guard event.isForwardable, received.forwardedBy == nil, received.receiver.unhandledElements.errorCount == errors
        else {
            return
        }
        if case .messageNew(let container) = event {
            guard !received.author.isBlockedByAdmin,
                try received.receiver.makeRefusalItem(of: received.contents.requireContent(), container, currentChat)
                    == nil
            else { return }
        }
        try GroupForwarding.forwardMessage(received, in: currentChat, tx)
    }

    mutating func handleMessage(_ received: ReceivedMessage) throws {
        let author = received.author
        var receiver = received.receiver
        switch received.message.event {
        case .messageNew(let container):
            guard maySendAsGroup(container.isSentAsGroup, author, receiver),
                mayWrite(author, in: container.scope, receiver)
            else {
                return
            }
            receiver.isPostedForGroup = container.isSentAsGroup
            currentChat = try findChatForNewMessage(
                container.scope,
                isReport: container.content["type"] == "report",
                of: author
            )
            if currentChat.scope != nil { try currentChat.openSupportChat(tx) }
            defer { group = currentChat.groupWithoutScope }
            if author.isBlockedByAdmin, group.preferences.fullDelete.enable == .on {
                return try GroupModeration.writeBlockedItem(received, in: &currentChat, user, tx)
            }
            if !author.isBlockedByAdmin,
                let moderation = try GroupModeration.takeEarlyModeration(received, in: group, tx)
            {
                return try GroupModeration.applyModeration(moderation, to: received, in: &currentChat, user, tx)
            }
            try receiver.handleNewMessage(container, received.contents, received.message.sharedID, &currentChat)
        case .messageUpdate(let update):
            guard maySendAsGroup(update.isSentAsGroup, author, receiver), mayWrite(author, in: update.scope, receiver)
            else {
                return
            }
            receiver.isPostedForGroup = update.isSentAsGroup
            currentChat =
                try group.findSupportChat(with: update.messageID, by: author, tx.db)
                ?? findChatForNewMessage(update.scope, isReport: false, of: author)
            defer { group = currentChat.groupWithoutScope }
            try receiver.handleUpdate(update, received.contents.requireContent(), &currentChat)
        case .messageDelete(let reference):
            let moderated = reference.memberID.flatMap { MemberID(parsing: $0) }
            if let moderated, moderated != author.sharedID {
                let member =
                    try moderated == group.membership.sharedID
                    ? group.membership : MemberRecord.find(moderated, in: group, tx.db)
                currentChat =
                    try member.flatMap { try group.findSupportChat(with: reference.messageID, by: $0, tx.db) } ?? group
                return try GroupModeration.moderateMessage(
                    reference,
                    of: moderated,
                    received,
                    in: currentChat,
                    user,
                    tx
                )
            }
            currentChat = try group.findSupportChat(with: reference.messageID, by: author, tx.db) ?? group
            try receiver.handleDeletion(reference, currentChat)
        case .messageReact(let reaction):
            let itemAuthor = try receiver.findItemAuthor(reaction, group)
            if let found = try group.findSupportChat(with: reaction.messageID, by: itemAuthor, tx.db) {
                currentChat = found
            } else if reaction.scope != nil {
                guard mayWrite(author, in: reaction.scope, receiver) else { return }
                currentChat = try findChatForNewMessage(reaction.scope, isReport: false, of: author)
            }
            try receiver.handleReaction(reaction, currentChat)
        case .info(let profile):
            try GroupProfiles.updateMemberProfile(profile, of: author, received, in: &group, user, tx)
            try refreshSender()
        case .group(let event): try handleGroupEvent(event, received)
        case .infoProbe(let probe):
            _ = try Probes.handleProbe(probe, from: .member(author, in: group), user, tx)
            try refreshSender()
        case .infoProbeCheck(let hash):
            _ = try Probes.handleProbeHash(hash, from: .member(author, in: group), user, tx)
            try refreshSender()
        case .infoProbeOk(let probe):
            _ = try Probes.handleConfirmation(probe, by: .member(author, in: group), user, tx)
            try refreshSender()
        case .fileDescription(let id, let description):
            currentChat = try group.findSupportChat(with: id, by: author, tx.db) ?? group
            try receiver.receiveFileDescription(description, of: id, currentChat)
        case .fileCancel(let id):
            currentChat = try group.findSupportChat(with: id, by: author, tx.db) ?? group
            try receiver.receiveFileCancel(id, currentChat)
        case .contact, .ok, .directDelete, .call, .relay: receiver.reportUnsupported(received.message)
        case .other(let tag, _): if !MessageReceiver.isIgnoredTag(tag) { receiver.reportUnsupported(received.message) }
        }
    }

    /// Whether the author may send the message. Only owners may send in the name of the group. Reports an error if the
    /// author may not.
    private func maySendAsGroup(_ asGroup: Bool, _ author: MemberRecord, _ receiver: MessageReceiver) -> Bool {
        guard asGroup, author.role < .owner else { return true }
        receiver.unhandledElements.recordError("member is not allowed to send as group", isMessageError: true)
        return false
    }

    /// Whether the author may write in the scope. A member who waits for admission may write with any role, since only
    /// moderators receive these messages. Reports an error if the author may not write.
    private func mayWrite(_ author: MemberRecord, in scope: JSONValue? = nil, _ receiver: MessageReceiver) -> Bool {
        if let scope {
            if author.role >= .moderator || scope["memberId"]?.stringValue == author.sharedID.text { return true }
            receiver.unhandledElements.recordError(
                "the member may not write to this support chat",
                isMessageError: true
            )
            return false
        }
        if author.role >= .author || author.status.isPending { return true }
        receiver.unhandledElements.recordError("member is not allowed to send messages", isMessageError: true)
        return false
    }

    /// Returns the chat of a new message: the chat of the group, or a support chat.
    /// - Throws: `groupMemberNotFound` for a scope without a known member.
    private func findChatForNewMessage(
        _ scope: JSONValue?,
        isReport: Bool,
        of author: MemberRecord
    ) throws -> GroupRecord {
        if group.membership.status.isPending { return group.supportChatGroup(of: group.membership) }
        guard scope != nil || isReport || author.status.isPending else { return group }
        let named =
            isReport || author.status.isPending
            ? author.sharedID : scope?["memberId"]?.stringValue.flatMap { MemberID(parsing: $0) }
        if named == group.membership.sharedID { return group.supportChatGroup(of: group.membership) }
        // The member is read again, because an earlier message of the same body may have changed it.
        guard let named, let member = try MemberRecord.find(named, in: group, tx.db) else {
            throw ChatFailure(ChatErrorType.groupMemberNotFound)
        }
        return group.supportChatGroup(of: member)
    }

    private mutating func handleGroupEvent(_ event: GroupEvent, _ received: ReceivedMessage) throws {
        let introductions = GroupIntroductions(user: user, tx: tx)
        var changes = GroupChanges(user: user, receivedMessage: received, tx: tx)
        switch event {
        case .memberNew(let info, let scope):
            try introductions.storeAnnouncedMember(info, isPending: scope != nil, received, in: &group)
        case .linkAcceptance(let acceptance, let role, let id):
            try MemberAdmission.handleAcceptance(acceptance, role, id, received, in: &group, user, tx)
        case .memberIntro(let info, let isBlocked):
            try introductions.storeIntroducedMember(info, isBlocked: isBlocked, received, in: &group)
        case .memberInvitation(let id, let invitation):
            try introductions.forwardLink(id, invitation, received, in: group)
        case .memberForward(let info, let invitation):
            try introductions.addJoinStep(info, invitation, received, in: group)
        case .memberConnected(let id): try introductions.recordConnection(id, to: sender, in: group)
        case .memberRole(let id, let role, _): try changes.changeRole(of: id, role, in: &group)
        case .memberRestrict(let id, let isBlocked): try changes.changeRestriction(of: id, isBlocked, in: &group)
        case .memberDelete(let id, let withMessages, _):
            try changes.removeMember(of: id, withMessages: withMessages, in: &group)
        case .directInvitation(let link, let content):
            guard mayWrite(received.author, received.receiver) else { return }
            try ReceivedMemberContact(user: user, receivedMessage: received, tx: tx).handleInvitation(
                link,
                content,
                in: &group
            )
        case .leave: try changes.handleLeave(&group)
        case .delete: try changes.handleGroupDeletion(&group)
        case .info(let profile): try changes.changeProfile(profile, of: &group)
        case .preferences(let preferences): try changes.changePreferences(preferences, of: &group)
        case .forward(let forwarded) where received.forwardedBy == nil:
            try self.handleForwardedMessage(forwarded, received.receiver)
        case .linkMember(let profile): try GroupProfiles.storeProfileOfHost(profile, received, in: &group, user, tx)
        case .invitation, .accept, .linkInvitation, .linkRejection, .memberInfo, .forward:
            received.receiver.reportUnsupported(received.message)
        }
        try refreshSender()
    }

    /// Reads the sender again, so that the next message sees changes of the sender.
    mutating func refreshSender() throws {
        if let now = try MemberRecord.find(sender.memberId, user: user.userId, in: tx.db) {
            sender = now
        } else {
            sender.status = .removed
        }
    }
}

extension ChatMessageEvent {
    fileprivate var isForward: Bool { if case .group(.forward) = self { true } else { false } }

    /// Whether admins forward the event to members who are not connected to its author yet.
    var isForwardable: Bool {
        switch self {
        case .messageNew, .messageUpdate, .messageDelete, .messageReact, .fileDescription, .fileCancel, .info: true
        case .group(let event):
            switch event {
            case .memberNew, .memberRole, .memberRestrict, .memberDelete, .leave, .delete, .info, .preferences: true
            default: false
            }
        default: false
        }
    }
}
