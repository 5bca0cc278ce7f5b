internal import ChatAPI
internal import ChatProtocol
internal import JSON
internal import SQLCipher

/// Messages over the connection to a relay of a channel: messages of the relay, and messages that the relay forwards. A
/// relay cannot make a change that an owner must sign.
extension GroupReceiver {
    mutating func receiveInChannel(_ received: ReceivedMessage) throws {
        if group.isServed { return try receiveAtRelay(received) }
        if case .group(.forward(let forwarded)) = received.message.event {
            return try receiveForwardedInChannel(forwarded, received.receiver)
        }
        guard let verified = verifySignature(received) else { return try reportBadSignature(received) }
        try handleChannelMessage(verified)
    }

    /// Returns the message with the result of verifying its signatures; nil for a message that must be refused.
    func verifySignature(_ received: ReceivedMessage) -> ReceivedMessage? {
        var verified = received
        let (author, needsSignature) = (received.author, received.message.event.requiresSignature)
        guard let signed = received.signedMessage else { return needsSignature ? nil : received }
        verified.signatureStatus = .signedNoKey
        guard let key = author.signatureKey, let channel = group.channel else {
            // If the key of a member is unknown, no signature of the member can be verified. If the user is not a
            // moderator, an ordinary member may still change its profile or leave the channel. These events concern
            // only this member.
            let mayBeUnknown =
                received.message.event.isAcceptedWithUnknownKey && group.membership.role < .moderator
                && author.role < .moderator
            return !needsSignature || mayBeUnknown ? verified : nil
        }
        guard signed.binding == .group else { return needsSignature ? nil : verified }
        guard signed.isValid(key, bound: GroupBinding(publicGroupID: channel.publicGroupID, member: author.sharedID))
        else { return nil }
        verified.signatureStatus = .verified
        return verified
    }

    mutating func reportBadSignature(_ received: ReceivedMessage) throws {
        try GroupItems.writeEventItem(
            .msgBadSignature,
            by: received.author,
            ItemProperties(receivedAt: received.brokerTs),
            in: &group,
            user,
            tx
        )
    }

    private mutating func receiveForwardedInChannel(_ forwarded: ForwardedMessage, _ outer: MessageReceiver) throws {
        guard sender.isRelay else {
            throw ChatFailure(ChatErrorType.groupContactRole(contactName: sender.localDisplayName))
        }
        guard let (element, readable) = readForwardedMessage(forwarded, outer) else { return }
        var message = readable
        var receiver = outer
        receiver.forwardedByMemberId = sender.memberId
        // The relay says when the author has sent the message. A time later than the arrival of the relay's own message
        // is false, so the time of the arrival replaces it.
        receiver.brokerTs = min(Timestamp(parsing: forwarded.relayReceivedAtText) ?? outer.brokerTs, outer.brokerTs)
        let author: MemberRecord
        if let authorID = forwarded.authorID {
            // A relay may join messages of the user with messages of others, so the user's own messages may come back.
            // The user's own messages are ignored.
            guard authorID != group.membership.sharedID,
                let known = try self.findOrCreateAuthor(authorID, of: forwarded, message.event), !known.status.isRemoved
            else { return }
            author = known
        } else {
            guard let event = message.event.eventInNameOfChannel else {
                return outer.unhandledElements.recordError(
                    "x.grp.msg.forward: \(message.event.tag) without its author",
                    isMessageError: true
                )
            }
            message.event = event
            receiver.isPostedForGroup = true
            author = sender.memberWithOwnerRights
        }
        receiver.author = author
        var received = ReceivedMessage(
            message: message,
            contents: ReceivedContents(element),
            json: forwarded.message,
            author: author,
            brokerTs: receiver.brokerTs,
            forwardedBy: sender,
            receiver: receiver
        )
        // The relay does not tell which owner has sent a message for the channel, so no key can verify a signature.
        received.signedMessage = forwarded.authorID == nil ? nil : forwarded.signedMessage
        guard let verified = verifySignature(received) else { return try reportBadSignature(received) }
        // Several relays may forward copies of one message. Only the copy that arrives first is handled. The ids of
        // messages that require a signature are recorded with the author. So an unsigned message with the same id
        // cannot replace a signed message.
        if let id = message.sharedID, !message.event.isRoster, !message.event.isFileDescription,
            try recordAndCheckRepeatInChannel(
                id,
                by: message.event.requiresSignature ? author : nil,
                forwardedBy: sender.memberId
            )
        {
            return
        }
        try handleChannelMessage(verified)
    }

    /// Reads a message that a relay has forwarded. Reports an error and returns nil for a message that cannot be read,
    /// or that relays may not forward.
    private func readForwardedMessage(
        _ forwarded: ForwardedMessage,
        _ receiver: MessageReceiver
    ) -> (MessageElement, ChatMessage)? {
        let element = MessageElement(.message(forwarded.message))
        let errors = receiver.unhandledElements
        guard case .success(.message(let message)) = element.content else {
            errors.recordError("the forwarded message cannot be read")
            return nil
        }
        guard message.event.isForwardedInChannels else {
            errors.recordError("x.grp.msg.forward: \(message.event.tag) is not for forwarding", isMessageError: true)
            return nil
        }
        // Forwarded messages have ids. The only exceptions are descriptions of files in the history.
        guard message.sharedID != nil || message.event.isFileDescription else {
            errors.recordError("x.grp.msg.forward: no message ID", isMessageError: true)
            return nil
        }
        return (element, message)
    }

    private mutating func handleChannelMessage(_ received: ReceivedMessage) throws {
        let members = ChannelMembers(user: user, receivedMessage: received, tx: tx)
        let report = { (text: String) in received.receiver.unhandledElements.recordError(text, isMessageError: true) }
        switch received.message.event {
        case .group(.memberNew(let info, _)):
            guard received.author.isRelay else { return report("x.grp.mem.new: not a relay") }
            try members.storeAnnouncedMember(info, in: &group)
        case .group(.memberIntro(let info, let isBlocked)):
            guard received.author.isRelay else { return report("x.grp.mem.intro: not a relay") }
            try members.storeIntroducedMember(info, isBlocked: isBlocked, in: group)
        case .group(.memberRole(let id, let role, let step)):
            try changeRole(of: id, to: role, step, received)
        case .group(.memberDelete(let id, let withMessages, let step)):
            try removeMember(of: id, withMessages: withMessages, step, received)
        case .relay(.new(let link)):
            guard received.author.role == .owner else { return report("x.grp.relay.new: not an owner") }
            try members.addRelay(link, in: group)
        case .relay(.roster(let header)):
            guard received.author.role == .owner, received.signatureStatus == .verified,
                let id = received.message.sharedID
            else {
                return report("x.grp.roster: the author is no owner")
            }
            try ChannelRosters.beginTransfer(header, id, by: received.author, from: sender, in: group, tx)
        case .relay(.rosterReceived(let version, let error)) where received.author.isRelay:
            try RelayUpdates.handleRosterReceipt(
                version,
                error: error,
                by: sender,
                in: group,
                received.receiver,
                user,
                tx
            )
        case .relay(.capabilities(let capabilities)) where received.author.isRelay:
            try RelayUpdates.storeCapabilities(capabilities, of: sender, in: group, user, tx)
        case .relay, .group(.memberInvitation), .group(.memberForward), .group(.memberConnected),
            .group(.directInvitation), .group(.linkAcceptance):
            received.receiver.reportUnsupported(received.message)
        default: try handleMessage(received)
        }
        try refreshSender()
        // A message may change the group, and the next message must be handled with the changed group.
        if let now = try GroupRecord.find(group.groupId, user: user.userId, in: tx.db) { group = now }
        // If the channel has no relay left, the link is read immediately, since the link names the current relays.
        if received.message.event.mayEndRelayMembership, group.membership.status.isActive,
            try !ChannelRelays.all(of: group, tx.db).contains(where: \.status.isCurrent)
        {
            try group.scheduleLinkRead(after: .zero, tx)
        }
    }

    private mutating func changeRole(
        of id: MemberID,
        to role: GroupMemberRole,
        _ step: RosterChange,
        _ received: ReceivedMessage
    ) throws {
        let isContradicted = try conflictsWithOwnChange(step, of: id, received)
        let members = ChannelMembers(user: user, receivedMessage: received, tx: tx)
        if try members.admitRoleChange(id, to: role, step, in: &group, relay: sender) {
            var changes = GroupChanges(user: user, receivedMessage: received, tx: tx)
            try changes.changeRole(of: id, role, in: &group)
        }
        if isContradicted { try OwnerAgreement.resendRole(of: id, in: &group, tx) }
    }

    private mutating func removeMember(
        of id: MemberID,
        withMessages: Bool,
        _ step: RosterChange,
        _ received: ReceivedMessage
    ) throws {
        let isContradicted = try conflictsWithOwnChange(step, of: id, received)
        let members = ChannelMembers(user: user, receivedMessage: received, tx: tx)
        guard try members.admitRemoval(id, step, in: &group, relay: sender) else { return }
        var changes = GroupChanges(user: user, receivedMessage: received, tx: tx)
        try changes.removeMember(of: id, withMessages: withMessages, in: &group)
        if isContradicted { try OwnerAgreement.resendRemoval(of: id, in: &group, tx) }
    }

    private func conflictsWithOwnChange(
        _ step: RosterChange,
        of id: MemberID,
        _ received: ReceivedMessage
    ) throws -> Bool {
        try OwnerAgreement.conflictsWithOwnChange(step.version, of: id, by: received.author, in: group, tx)
    }
}

extension ChatMessageEvent {
    fileprivate var isRoster: Bool { if case .relay(.roster) = self { true } else { false } }

    fileprivate var mayEndRelayMembership: Bool {
        switch self {
        case .group(.leave), .group(.memberDelete): true
        default: false
        }
    }

    /// Whether the event is a part of a file description. A copy of a part is not dropped as a repeated message, since
    /// the parts from each relay are collected separately.
    fileprivate var isFileDescription: Bool { if case .fileDescription = self { true } else { false } }

    fileprivate var isAcceptedWithUnknownKey: Bool {
        switch self {
        case .info, .group(.leave): true
        default: false
        }
    }

    /// Whether relays forward the event.
    fileprivate var isForwardedInChannels: Bool {
        guard case .relay(let event) = self else { return isForwardable }
        return switch event {
        case .new, .roster: true
        case .join, .invitation, .acceptance, .rejection, .test, .capabilities, .rosterReceived, .rosterRequest: false
        }
    }

    /// The event in the name of the channel; nil for an event that needs a member as its author. New and changed
    /// messages are marked as sent in the name of the channel.
    fileprivate var eventInNameOfChannel: ChatMessageEvent? {
        switch self {
        case .messageNew(var container):
            guard container.scope == nil else { return nil }
            container.isSentAsGroup = true
            return .messageNew(container)
        case .messageUpdate(var update):
            guard update.scope == nil else { return nil }
            update.isSentAsGroup = true
            return .messageUpdate(update)
        case .messageDelete(let deletion): return deletion.memberID == nil ? self : nil
        case .fileDescription, .fileCancel: return self
        default: return nil
        }
    }
}

extension MemberRecord {
    /// The relay as a member with the rights of an owner. This member counts as the author of messages that the relay
    /// forwards without an author.
    fileprivate var memberWithOwnerRights: MemberRecord {
        var speaker = self
        speaker.role = .owner
        speaker.isBlockedByUser = false
        speaker.isBlockedByAdmin = false
        return speaker
    }
}
