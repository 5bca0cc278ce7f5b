internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The connection setup with a member: the information that is sent with the confirmations, and the actions after the
/// connection is ready.
struct MemberHandshake {
    let user: UserRecord
    var connection: ConnectionRecord
    var group: GroupRecord
    var member: MemberRecord
    let tx: Transaction

    init(_ peer: ConnectionPeer, _ membership: GroupMembership, _ tx: Transaction) {
        user = peer.user
        connection = peer.connection
        group = membership.group
        member = membership.member
        self.tx = tx
    }

    /// Handles the confirmation of a peer who connects by the user's link.
    /// - Returns: the information for the answer; nil if the confirmation is not answered now, for example if it comes
    ///   from a member who was not invited.
    mutating func handleConfirmation(_ info: [UInt8], _ confirmation: ConfirmationID) throws -> [UInt8]? {
        guard let event = try readInfo(info) else { return nil }
        let answer: ChatMessageEvent
        switch (member.category, event) {
        case (.invitee, .group(.accept(member.sharedID))):
            if member.status == .invited { try member.setStatus(.accepted, tx) }
            answer = .ok
        case (.host, .group(.linkInvitation(let invitation))) where group.isChannel:
            return try handleRelayAdmission(invitation)
        case (.invitee, .relay(let answer)) where group.isChannel: return try handleRelayAnswer(answer, confirmation)
        // The host answers the request to join that the user has sent by the link of the group.
        case (.host, .group(.linkInvitation)), (.host, .group(.linkRejection)):
            guard
                let answered = try JoinAnswerHandler(user: user, connection: connection, tx: tx).handleAnswer(
                    event,
                    by: member,
                    in: group
                )
            else { return nil }
            return try ChatMessage(event: answered).encodeConnectionInfo(for: connection)
        case (.pre, .group(.memberInfo(member.sharedID, _))), (.post, .group(.memberInfo(member.sharedID, _))):
            answer = .group(.memberInfo(group.membership.sharedID, profile: try group.ownProfile(user)))
        default:
            try reportMessageError("x.grp.acpt or x.grp.mem.info is missing in the confirmation of the member")
            return nil
        }
        if [.new, .prepared, .joined].contains(connection.status) {
            try connection.setStatus(.requested, at: tx.now, in: tx.db)
        }
        return try ChatMessage(event: answer).encodeConnectionInfo(for: connection)
    }

    /// Handles the answer by which a relay of a channel admits the user. The profile of the channel in the answer is
    /// ignored, since only a profile with the signature of an owner is valid.
    /// - Returns: the information for the reply to the relay; nil if the answer contains wrong ids.
    private mutating func handleRelayAdmission(_ invitation: GroupLinkInvitationMessage) throws -> [UInt8]? {
        guard
            invitation.groupProfile["publicGroup"]?["publicGroupId"]?.stringValue
                == group.profile.publicGroup?.publicGroupId
        else {
            try reportMessageError("x.grp.link.inv: the publicGroupId is that of another channel")
            return nil
        }
        guard invitation.fromMember.id == member.sharedID, invitation.invitedMember.id == group.membership.sharedID,
            member.isRelay,
            !group.membership.status.isRemoved
        else {
            try reportMessageError("x.grp.link.inv: the ids are those of other members")
            return nil
        }
        let answer = ChatMessage(event: .info(profile: try group.ownProfile(user)))
        // The agent repeats the answer if the process ended before the agent received the confirmation.
        guard [.prepared, .joined].contains(connection.status) else {
            return try answer.encodeConnectionInfo(for: connection)
        }
        try connection.setStatus(.requested, at: tx.now, in: tx.db)
        if group.membership.status == .unknown { try group.membership.setStatus(.accepted, tx) }
        try refreshRecords()
        try tx.emit(
            .groupLinkConnecting(user: user.api, groupInfo: group.api(user), hostMember: member.api),
            user: user.userId
        )
        return try answer.encodeConnectionInfo(for: connection)
    }

    /// Handles the information with which the inviting side has answered the user's confirmation.
    mutating func handleConnectionInfo(_ info: [UInt8]) throws {
        guard connection.status != .ready, let event = try readInfo(info) else { return }
        switch event {
        case .ok, .info: break
        case .group(.memberInfo(let id, _)):
            guard id == member.sharedID else {
                return try reportMessageError("x.grp.mem.info: the id is that of another member")
            }
        default:
            return try reportMessageError("x.grp.mem.info, x.info or x.ok is missing in the information of the member")
        }
        try connection.setStatus(.sndReady, at: tx.now, in: tx.db)
    }

    private mutating func readInfo(_ info: [UInt8]) throws -> ChatMessageEvent? {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: info),
            let version = ChatVersionRange.supported.compatibleVersion(with: message.versions)
        else {
            try tx.emit(
                .chatError(chatError: .error(errorType: .exception(message: "the message cannot be read"))),
                user: user.userId
            )
            return nil
        }
        // The versions of the host are set later, by its first message.
        if member.category != .host { try member.setVersions(message.versions, tx) }
        connection.peerVersions = message.versions
        connection.chatVersion = version
        try connection.storeVersions(in: tx.db)
        member.connection = connection
        return message.event
    }

    func reportMessageError(_ text: String) throws {
        try tx.emit(.messageError(user: user.api, severity: "error", errorMessage: text), user: user.userId)
    }

    // MARK: Connected

    /// Handles a connection that is ready in both directions.
    mutating func handleConnected() throws {
        if member.status == .removed, member.isConnecting, !group.membership.status.isRemoved {
            return try sendRemoval()
        }
        guard connection.status != .deleted, !member.status.isRemoved, !group.membership.status.isRemoved else {
            return
        }
        try connection.setStatus(.ready, at: tx.now, in: tx.db)
        connection.status = .ready
        member.connection = connection
        if group.isServed {
            try WaitingMessages.sendWaiting(to: member, in: group, tx)
            return try handleConnectedAtRelay()
        }
        if member.category == .invitee, member.isRelay, group.isChannel {
            // The relay gets the roster first, and then the messages that wait for the relay.
            try handleRelayConnected()
            return try WaitingMessages.sendWaiting(to: member, in: group, tx)
        }
        try WaitingMessages.sendWaiting(to: member, in: group, tx)
        switch member.category {
        case .host: try completeJoining()
        case .invitee: try completeMemberJoining()
        default: try completeIntroducedMember()
        }
    }

    /// Sends the removal to a member whom the user has removed before the connection was ready, and then ends the
    /// connection.
    private mutating func sendRemoval() throws {
        try connection.setStatus(.ready, at: tx.now, in: tx.db)
        connection.status = .ready
        member.connection = connection
        try WaitingMessages.sendWaiting(to: member, in: group, tx)
        try member.disconnect(afterDelivery: true, tx)
        try member.remove(tx)
    }

    /// Completes the joining of the user when the connection to the host is ready.
    private mutating func completeJoining() throws {
        try member.setStatus(.connected, tx)
        // The ready connection shows that the host has admitted the user, even if the stored status is an earlier one.
        if [.invited, .accepted].contains(group.membership.status) { try group.membership.setStatus(.connected, tx) }
        try refreshRecords()
        try tx.emit(
            .userJoinedGroup(user: user.api, groupInfo: group.api(user), hostMember: member.api),
            user: user.userId
        )
        // A user who waits for admission sees only the moderators.
        let isPending = group.membership.status.isPending
        if isPending { group = group.supportChatGroup(of: group.membership) }
        // Each relay of a channel admits the user, but the items are written only for the first relay.
        let isFirst = try !group.isChannel || ChannelRelays.all(of: group, tx.db).count { $0.status == .connected } == 1
        if isFirst { try GroupItems.writeJoinedGroupItems(&group, by: member, user, tx) }
        try GroupItems.writeEventItem(.memberConnected, by: member, nil, in: &group, user, tx)
        if !isPending && !group.isChannel { try GroupItems.writeDescription(in: &group, by: member, user, tx) }
    }

    /// Completes the joining of a member whom the user has invited, or admitted by the link of the group.
    private mutating func completeMemberJoining() throws {
        // The item shows the member as it was before this event, as in the original.
        let before = member
        // A member who waits for admission is introduced only to the moderators.
        let isAdmitted = !member.status.isPending
        if isAdmitted { try member.setStatus(.connected, tx) }
        try refreshRecords()
        var place = isAdmitted ? group : group.supportChatGroup(of: member)
        try GroupItems.writeEventItem(.memberConnected, by: before, nil, in: &place, user, tx)
        if !isAdmitted { try GroupItems.writeEventItem(.newMemberPendingReview, by: member, nil, in: &place, user, tx) }
        group = place.groupWithoutScope
        try tx.emit(
            .joinedGroupMember(user: user.api, groupInfo: group.api(user), member: member.api),
            user: user.userId
        )
        if connection.addressLinkId != nil, member.contactId == nil {
            try tx.enqueue(ChatMessage(event: .group(.linkMember(profile: group.ownProfile(user)))), to: connection)
        }
        if member.status == .pending_review { try MemberAdmission.beginReview(of: member, in: group, user, tx) }
        guard isAdmitted else { return }
        try BusinessRequests.sendAutoReply(to: member, in: &group, user, tx)
        try GroupIntroductions(user: user, tx: tx).introduceMember(member, in: group)
        if !group.isCustomer(member) { try GroupHistory.sendHistory(to: member, in: group, tx) }
    }

    /// Completes the connection with a member whom an admin has introduced.
    private mutating func completeIntroducedMember() throws {
        var shown = member
        if !member.status.isPending { try member.setStatus(.connected, tx) }
        try refreshRecords()
        // The event shows the member as it was before this event, as in the original.
        shown.connection = connection
        var place = group
        if group.membership.status.isPending {
            place = group.supportChatGroup(of: group.membership)
        } else if member.status.isPending {
            place = group.supportChatGroup(of: member)
        }
        try GroupItems.writeEventItem(.memberConnected, by: shown, nil, in: &place, user, tx)
        group = place.groupWithoutScope
        try tx.emit(
            .connectedToGroupMember(user: user.api, groupInfo: group.api(user), member: shown.api, memberContact: nil),
            user: user.userId
        )
        if member.category == .pre { try Probes.sendProbe(to: .member(member, in: group), over: connection, user, tx) }
        // The side that has used the link is the first to know that the two members are connected. Until the other side
        // also knows, the admin must still forward the messages of the other side. So a user who has used the link
        // tells the admin only after the first direct message of the other side.
        if member.category == .post {
            try member.setMustTellAdminOfConnection(true, tx)
        } else {
            try MemberHandshake.notifyAdminOfConnection(of: member, in: group, user, tx)
        }
    }

    /// Handles the first direct message of a member, which shows that the member knows about the connection to the
    /// user. Tells the admin that the member and the user are connected. Receipts may arrive before this message, but
    /// do not count as messages.
    static func handleFirstMessage(
        _ member: inout MemberRecord,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard member.mustTellAdminOfConnection else { return }
        try member.setMustTellAdminOfConnection(false, tx)
        try notifyAdminOfConnection(of: member, in: group, user, tx)
    }

    /// Tells the admin who has introduced the member that the member and the user are connected, so that the admin
    /// stops forwarding messages.
    private static func notifyAdminOfConnection(
        of member: MemberRecord,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let inviter = member.category == .pre ? group.membership.invitedByMemberId : member.invitedByMemberId
        guard let inviter, let admin = try MemberRecord.find(inviter, user: user.userId, in: tx.db), admin.isReachable,
            let connection = admin.connection
        else { return }
        try tx.enqueue(ChatMessage(event: .group(.memberConnected(member.sharedID))), to: connection)
    }

    /// Reads the group and the member again after a change of a status. With the status, the database also changes
    /// counts, such as the number of members.
    mutating func refreshRecords() throws {
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        member = try MemberRecord.get(member.memberId, in: group, tx.db)
    }
}
