internal import ChatAPI
internal import ChatProtocol
internal import JSON
internal import SQLCipher

/// Messages that members of a channel send to the user, who is a relay of the channel. The relay handles each message
/// as a member does, and passes it on if the author of the message may send it.
extension GroupReceiver {
    /// Adds a chunk to the roster that an owner sends.
    /// - Returns: whether the chunk is part of a roster.
    mutating func receiveChunkAtRelay(_ chunk: InlineFileChunk) throws -> Bool {
        try ServedRoster.addChunk(chunk, from: sender, in: &group, user, tx) != .unknown
    }

    mutating func receiveAtRelay(_ received: ReceivedMessage) throws {
        guard group.isServedNow else { return }
        guard let verified = verifySignature(received) else { return try reportBadSignature(received) }
        let event = received.message.event
        let report = { (text: String) in received.receiver.unhandledElements.recordError(text, isMessageError: true) }
        if event.isPassedOnByRelays {
            guard let id = received.message.sharedID else { return report("\(event.tag): no message ID") }
            if try recordAndCheckRepeatInChannel(id, by: received.author, forwardedBy: nil) { return }
        }
        let errors = received.receiver.unhandledElements.errorCount
        let isOfChannel = try speaksForChannel(received)
        currentChat = group
        switch event {
        case .relay(.roster(let header)):
            guard received.author.role == .owner, verified.signatureStatus == .verified else {
                return report("x.grp.roster: the author is no owner")
            }
            return try ServedRoster.beginTransfer(header, verified, in: group, tx)
        case .relay(.rosterRequest(let version)):
            return try ServedRoster.handleRequest(version, by: received.author, in: group, tx)
        case .relay(.new):
            guard received.author.role == .owner else {
                return report("x.grp.relay.new: the role of the author is too low")
            }
        case .group(.memberRole(let id, let role, let step)):
            let members = ChannelMembers(user: user, receivedMessage: verified, tx: tx)
            guard try members.admitRoleChange(id, to: role, step, in: &group, relay: sender) else { return }
            var changes = GroupChanges(user: user, receivedMessage: verified, tx: tx)
            try changes.changeRole(of: id, role, in: &group)
        case .group(.memberDelete(let id, let withMessages, let step)):
            let members = ChannelMembers(user: user, receivedMessage: verified, tx: tx)
            guard try members.admitRemoval(id, step, in: &group, relay: sender) else { return }
            if id == group.membership.sharedID { return try handleOwnRemoval(verified, withMessages: withMessages) }
            try removeStoredMember(of: id, withMessages: withMessages, verified)
        case .group(.delete): return try handleChannelDeletion(verified)
        case .group(.memberNew), .group(.memberIntro), .group(.memberInvitation), .group(.memberForward),
            .group(.forward), .group(.directInvitation),
            .group(.linkAcceptance), .group(.linkMember), .relay:
            return received.receiver.reportUnsupported(received.message)
        // A relay is not a contact of any member, so these messages have no effect on the relay.
        case .infoProbe, .infoProbeCheck, .infoProbeOk, .ok, .group(.memberConnected): return
        default: try handleMessage(verified)
        }
        let supported = currentChat.scope == nil ? nil : currentChat.supportMember
        try refreshSender()
        if let now = try GroupRecord.find(group.groupId, user: user.userId, in: tx.db) { group = now }
        guard event.isPassedOnByRelays, received.receiver.unhandledElements.errorCount == errors,
            try mayBePassedOn(verified)
        else {
            return
        }
        try makeRelayedMessage(verified, asChannel: isOfChannel, in: supported).map { try $0.store(in: group, tx) }
    }

    /// Removes a member of the channel, and passes the removal on to this member. Does nothing if the removed member is
    /// another relay, since this relay does not store the other relays. The caller passes the removal on to the
    /// remaining members.
    private mutating func removeStoredMember(
        of id: MemberID,
        withMessages: Bool,
        _ received: ReceivedMessage
    ) throws {
        guard let member = try MemberRecord.find(id, in: group, tx.db) else { return }
        try passRemovalOn(received, to: member)
        var changes = GroupChanges(user: user, receivedMessage: received, tx: tx)
        try changes.removeMember(of: id, withMessages: withMessages, in: &group)
    }

    /// Returns whether the relay may pass the message on. The author must be allowed to send the message, and the
    /// message must not be for the relay only.
    private func mayBePassedOn(_ received: ReceivedMessage) throws -> Bool {
        switch received.message.event {
        case .messageNew(let container):
            return try !received.author.isBlockedByAdmin
                && received.receiver.makeRefusalItem(of: received.contents.requireContent(), container, currentChat)
                    == nil
        case .messageUpdate(let update):
            var asContainer = MessageContainer(content: update.content)
            asContainer.scope = update.scope
            return try !received.author.isBlockedByAdmin
                && received.receiver.makeRefusalItem(of: received.contents.requireContent(), asContainer, currentChat)
                    == nil
        case .messageReact:
            return !received.author.isBlockedByAdmin
                && group.allows(.reactions, by: .member(received.author.role, isHost: false), user)
        // With `deletesOnlyHistory`, only the relay deletes the message. The members keep it.
        case .messageDelete(let deletion): return !deletion.deletesOnlyHistory
        case .fileDescription, .fileCancel, .info: return !received.author.isBlockedByAdmin
        default: return true
        }
    }

    /// Returns whether an owner sends the message in the name of the channel. Members do not learn which owner sent the
    /// message.
    private func speaksForChannel(_ received: ReceivedMessage) throws -> Bool {
        guard received.author.role == .owner else { return false }
        switch received.message.event {
        case .messageNew(let container): return container.isSentAsGroup
        case .messageUpdate(let update): return update.isSentAsGroup
        case .messageDelete(let deletion): return try deletion.memberID == nil && isChannelPost(deletion.messageID)
        case .fileDescription(let id, _), .fileCancel(let id): return try isChannelPost(id)
        default: return false
        }
    }

    private func isChannelPost(_ id: SharedMessageID) throws -> Bool {
        try ItemQueries.find(shared: id, byGroup: true, in: group, tx.db) != nil
    }

    private func makeElement(_ received: ReceivedMessage, asChannel: Bool) -> [UInt8]? {
        // A signed message is passed on unchanged. A post of the channel is passed on without its signature, since the
        // signature would tell which owner has written the post.
        let signed = asChannel ? nil : received.signedMessage?.element
        let message = signed ?? received.json.withSortedNames.encodeText()
        let author = received.author
        let element = ForwardedMessage.encodeElement(
            by: asChannel ? nil : author.sharedID,
            named: author.shortName,
            at: received.brokerTs,
            message
        )
        guard BinaryBatch.splitIntoBatches(sizes: [element.count]).tooLarge.isEmpty else {
            received.receiver.unhandledElements.recordError(
                "\(received.message.event.tag): too large to be forwarded",
                isMessageError: true
            )
            return nil
        }
        return element
    }

    private func makeRelayedMessage(
        _ received: ReceivedMessage,
        asChannel: Bool = false,
        in supported: MemberRecord? = nil
    ) -> RelayedMessage? {
        makeElement(received, asChannel: asChannel).map { element in
            var relayed = RelayedMessage(supportMember: supported, author: received.author, element: element)
            switch received.message.event {
            case .group(.info), .group(.preferences): relayed.includesJoiningMembers = true
            default: break
            }
            return relayed
        }
    }

    /// Sends the removal to the removed member, before the connection to this member ends.
    private func passRemovalOn(_ received: ReceivedMessage, to member: MemberRecord) throws {
        guard member.isReachable, let connection = member.connection,
            let element = makeElement(received, asChannel: false)
        else { return }
        try tx.enqueueRelayedBody(BinaryBatch.encodeElements([element]), to: [RelayRecipient(connection)])
    }

    // MARK: End of service

    /// Stops serving the channel, after an owner has removed this relay from the channel.
    private mutating func handleOwnRemoval(_ received: ReceivedMessage, withMessages: Bool) throws {
        guard received.author.role == .owner else {
            return received.receiver.unhandledElements.recordError(
                "x.grp.mem.del: the role of the author is too low",
                isMessageError: true
            )
        }
        try endChannelService(received, as: .removed)
        if withMessages {
            try GroupModeration.deleteMessages(of: group.membership, by: received.author, in: group, user, tx)
        }
        try GroupItems.writeEventItem(.userDeleted, by: received.author, received.itemProperties, in: &group, user, tx)
        try tx.emit(
            .deletedMemberUser(
                user: user.api,
                groupInfo: group.api(user),
                member: received.author.api,
                withMessages: withMessages,
                msgSigned: received.signatureStatus
            ),
            user: user.userId
        )
    }

    private mutating func handleChannelDeletion(_ received: ReceivedMessage) throws {
        guard received.author.role == .owner else {
            return received.receiver.unhandledElements.recordError(
                "x.grp.del: the role of the author is too low",
                isMessageError: true
            )
        }
        try endChannelService(received, as: .deleted)
        try GroupItems.writeEventItem(.groupDeleted, by: received.author, received.itemProperties, in: &group, user, tx)
        try tx.emit(
            .groupDeleted(
                user: user.api,
                groupInfo: group.api(user),
                member: received.author.api,
                msgSigned: received.signatureStatus
            ),
            user: user.userId
        )
    }

    /// Passes the message on as the last message of the channel. The connections to all members end after this message.
    /// Deletes the relay's link for the channel.
    private mutating func endChannelService(_ received: ReceivedMessage, as status: GroupMemberStatus) throws {
        if var relayed = makeRelayedMessage(received) {
            relayed.includesJoiningMembers = true
            relayed.endsChannelService = true
            try relayed.store(in: group, tx)
        }
        try GroupLinkRecord.find(of: group, in: tx.db)?.delete(tx)
        try group.setRelayStatus(.inactive, tx)
        group.relayStatus = .inactive
        try group.membership.setStatus(status, tx)
    }
}

extension ChatMessageEvent {
    /// Whether relays of channels pass the event on to the members.
    fileprivate var isPassedOnByRelays: Bool {
        switch self {
        case .messageNew, .messageUpdate, .messageDelete, .messageReact, .fileDescription, .fileCancel, .info: true
        case .group(let event):
            switch event {
            case .memberRole, .memberRestrict, .memberDelete, .leave, .delete, .info, .preferences: true
            case .invitation, .accept, .linkInvitation, .linkRejection, .linkMember, .memberNew, .linkAcceptance,
                .memberIntro, .memberInvitation, .memberForward, .memberInfo, .memberConnected, .directInvitation,
                .forward:
                false
            }
        case .relay(let event):
            switch event {
            case .new: true
            case .join, .invitation, .acceptance, .rejection, .test, .capabilities, .roster, .rosterReceived,
                .rosterRequest:
                false
            }
        case .contact, .directDelete, .infoProbe, .infoProbeCheck, .infoProbeOk, .ok, .call, .other: false
        }
    }
}
