internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

/// A handler of the messages that arrive over the connection to one member of a group. All changes that one agent
/// message causes are made in one transaction.
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
        /// The JSON of the message as it was received.
        let json: JSONValue
        var author: MemberRecord
        /// Time at which the server has received the message.
        let brokerTs: Timestamp
        /// The member who has forwarded the message; nil for a message that its author has sent directly.
        let forwardedBy: MemberRecord?
        /// The object that writes the items of this message. Each message has its own receiver, because a forwarded
        /// message has another author, forwarder and time than the message that contains it.
        var receiver: MessageReceiver
        /// The message with its signatures; nil for a message without signatures.
        var signedMessage: SignedMessage?
        /// The result of verifying the signatures; nil for a message without signatures, and outside of channels.
        var signatureStatus: MsgSigStatus? {
            get { receiver.signatureStatus }
            set { receiver.signatureStatus = newValue }
        }

        /// The properties of this message that the chat items of the message show.
        var itemProperties: ItemProperties {
            ItemProperties(
                messageID: message.sharedID,
                receivedAt: brokerTs,
                signatureStatus: signatureStatus,
                forwardedByMemberId: signatureStatus == nil ? nil : forwardedBy?.memberId
            )
        }
    }

    /// The properties of a message that the chat items of the message show.
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
            // A message that forwards another message may lack the versions of its sender. So the versions in a
            // forwarding message are ignored.
            if !message.event.isForward { try updateVersions(message.versions) }
            guard !sender.status.isRemoved, !group.membership.status.isRemoved else { return }
            try MemberHandshake.handleFirstMessage(&sender, in: group, user, tx)
            // One agent message can contain several chat messages. An earlier one may have changed the record of the
            // sender, so the present record is used.
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
        // A message that caused an error is not passed on to other members. Either its author may not send this
        // message, or this program does not show it.
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
        let receiver = received.receiver
        switch received.message.event {
        case .messageNew(let container): try receiveNewMessage(container, received)
        case .messageUpdate(let update): try receiveUpdate(update, received)
        case .messageDelete(let deletion): try receiveDeletion(deletion, received)
        case .messageReact(let reaction): try receiveReaction(reaction, received)
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
            case .invitation, .accept, .linkInvitation, .linkRejection, .linkMember, .linkAcceptance, .memberIntro,
                .memberInvitation, .memberForward, .memberInfo, .memberConnected, .directInvitation, .forward:
                false
            }
        case .contact, .directDelete, .infoProbe, .infoProbeCheck, .infoProbeOk, .ok, .call, .relay, .other: false
        }
    }
}
