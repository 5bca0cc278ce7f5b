internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Connecting to a member: what goes with the confirmations, and what follows when the connection is up.
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

    /// The member has joined the user's link.
    /// - Returns: what goes with the answer; nil when the member is not the one who was invited.
    mutating func confirmed(_ info: [UInt8], _ confirmation: ConfirmationID) throws -> [UInt8]? {
        guard let event = try read(info) else { return nil }
        let answer: ChatMessageEvent
        switch (member.category, event) {
        case (.invitee, .group(.accept(member.sharedID))):
            if member.status == .invited { try member.setStatus(.accepted, tx) }
            answer = .ok
        case (.host, .group(.linkInvitation(let invitation))) where group.isChannel: return try answeredByRelay(invitation)
        case (.invitee, .relay(let answer)) where group.isChannel: return try relayAnswered(answer, confirmation)
        // The answer to a request by the link of the group.
        case (.host, .group(.linkInvitation)), (.host, .group(.linkRejection)):
            guard let answered = try JoiningByLink(user: user, connection: connection, tx: tx).answered(event, by: member, in: group) else { return nil }
            return try ChatMessage(event: answered).encodedInfo(for: connection)
        case (.pre, .group(.memberInfo(member.sharedID, _))), (.post, .group(.memberInfo(member.sharedID, _))):
            answer = .group(.memberInfo(group.membership.sharedID, profile: try group.ownProfile(user)))
        default:
            try report("CONF from member must have x.grp.acpt or x.grp.mem.info of that member")
            return nil
        }
        if [.new, .prepared, .joined].contains(connection.status) { try connection.setStatus(.requested, at: tx.now, in: tx.db) }
        return try ChatMessage(event: answer).encodedInfo(for: connection)
    }

    /// A relay of a channel has let the user in. What it says of the channel is not taken from it: owners sign that.
    private mutating func answeredByRelay(_ invitation: GroupLinkInvitationMessage) throws -> [UInt8]? {
        guard invitation.groupProfile["publicGroup"]?["publicGroupId"]?.stringValue == group.profile.publicGroup?.publicGroupId else {
            try report("x.grp.link.inv: publicGroupId mismatch")
            return nil
        }
        guard invitation.from.id == member.sharedID, invitation.invited.id == group.membership.sharedID, member.isRelay, !group.membership.status.isRemoved else {
            try report("x.grp.link.inv: memberId is different from expected")
            return nil
        }
        let answer = ChatMessage(event: .info(profile: try group.ownProfile(user)))
        // It comes again: the process has ended before the agent was told.
        guard [.prepared, .joined].contains(connection.status) else { return try answer.encodedInfo(for: connection) }
        try connection.setStatus(.requested, at: tx.now, in: tx.db)
        if group.membership.status == .unknown { try group.membership.setStatus(.accepted, tx) }
        try refresh()
        try tx.emit(.groupLinkConnecting(user: user.api, groupInfo: group.api(user), hostMember: member.api), user: user.userId)
        return try answer.encodedInfo(for: connection)
    }

    /// The answer to the user's confirmation.
    mutating func informed(_ info: [UInt8]) throws {
        guard connection.status != .ready, let event = try read(info) else { return }
        switch event {
        case .ok, .info: break
        case .group(.memberInfo(let id, _)):
            guard id == member.sharedID else { return try report("x.grp.mem.info: memberId is different from expected") }
        default: return try report("INFO from member must have x.grp.mem.info, x.info or x.ok")
        }
        try connection.setStatus(.sndReady, at: tx.now, in: tx.db)
    }

    private mutating func read(_ info: [UInt8]) throws -> ChatMessageEvent? {
        guard case .success(.message(let message)) = MessageBody.first(of: info),
            let version = ChatVersionRange.supported.compatibleVersion(with: message.versions)
        else {
            try tx.emit(.chatError(chatError: .error(errorType: .exception(message: "error parsing chat message"))), user: user.userId)
            return nil
        }
        // Those of the host are taken from its first message.
        if member.category != .host { try member.setVersions(message.versions, tx) }
        connection.peerVersions = message.versions
        connection.chatVersion = version
        try connection.storeVersions(in: tx.db)
        member.connection = connection
        return message.event
    }

    func report(_ text: String) throws {
        try tx.emit(.messageError(user: user.api, severity: "error", errorMessage: text), user: user.userId)
    }

    // MARK: Connected

    /// Both directions are up.
    mutating func connected() throws {
        guard connection.status != .deleted, !member.status.isRemoved, !group.membership.status.isRemoved else { return }
        try connection.setStatus(.ready, at: tx.now, in: tx.db)
        connection.status = .ready
        member.connection = connection
        if group.isServed {
            try WaitingMessages.send(to: member, in: group, tx)
            return try connectedAtRelay()
        }
        if member.category == .invitee, member.isRelay, group.isChannel {
            // It has the roster before anything that was said.
            try relayConnected()
            return try WaitingMessages.send(to: member, in: group, tx)
        }
        try WaitingMessages.send(to: member, in: group, tx)
        switch member.category {
        case .host: try joined()
        case .invitee: try memberJoined()
        default: try connectedToIntroduced()
        }
    }

    /// The user is in the group now.
    private mutating func joined() throws {
        try member.setStatus(.connected, tx)
        // Whatever is known of the joining: the host has let the user in.
        if [.invited, .accepted].contains(group.membership.status) { try group.membership.setStatus(.connected, tx) }
        try refresh()
        try tx.emit(.userJoinedGroup(user: user.api, groupInfo: group.api(user), hostMember: member.api), user: user.userId)
        // Who is not let in yet sees the moderators alone.
        let isPending = group.membership.status.isPending
        if isPending { group = group.support(of: group.membership) }
        // All relays of a channel let the user in; the first one counts.
        let isFirst = try !group.isChannel || ChannelRelays.all(of: group, tx.db).count { $0.status == .connected } == 1
        if isFirst { try GroupItems.joined(&group, by: member, user, tx) }
        try GroupItems.event(.memberConnected, by: member, nil, in: &group, user, tx)
        if !isPending && !group.isChannel { try GroupItems.description(in: &group, by: member, user, tx) }
    }

    /// A member whom the user has invited, or let in by the group's link.
    private mutating func memberJoined() throws {
        // The item shows the member as it was before, as the original does.
        let before = member
        // Whose joining is not decided yet is introduced to the moderators alone.
        let isLetIn = !member.status.isPending
        if isLetIn { try member.setStatus(.connected, tx) }
        try refresh()
        var place = isLetIn ? group : group.support(of: member)
        try GroupItems.event(.memberConnected, by: before, nil, in: &place, user, tx)
        if !isLetIn { try GroupItems.event(.newMemberPendingReview, by: member, nil, in: &place, user, tx) }
        group = place.withoutScope
        try tx.emit(.joinedGroupMember(user: user.api, groupInfo: group.api(user), member: member.api), user: user.userId)
        if connection.viaAddressId != nil, member.contactId == nil {
            try tx.enqueue(ChatMessage(event: .group(.linkMember(profile: group.ownProfile(user)))), to: connection)
        }
        if member.status == .pending_review { try MemberAdmission.beginReview(of: member, in: group, user, tx) }
        guard isLetIn else { return }
        try BusinessRequests.reply(to: member, in: &group, user, tx)
        try GroupIntroductions(user: user, tx: tx).introduce(member, in: group)
        if !group.isCustomer(member) { try GroupHistory.send(to: member, in: group, user, tx) }
    }

    /// A member whom an admin has introduced.
    private mutating func connectedToIntroduced() throws {
        var shown = member
        if !member.status.isPending { try member.setStatus(.connected, tx) }
        try refresh()
        // The original shows the member as it was before.
        shown.connection = connection
        var place = group
        if group.membership.status.isPending { place = group.support(of: group.membership) } else if member.status.isPending { place = group.support(of: member) }
        try GroupItems.event(.memberConnected, by: shown, nil, in: &place, user, tx)
        group = place.withoutScope
        try tx.emit(
            .connectedToGroupMember(user: user.api, groupInfo: group.api(user), member: shown.api, memberContact: nil), user: user.userId)
        if member.category == .pre { try Probes.send(to: .member(member, in: group), over: connection, user, tx) }
        // Who has joined the other one's link knows first that they are connected. The admin would stop to forward what the other one still sends by way
        // of the admin: it is told when the other one is heard of.
        if member.category == .post { try member.setUntold(true, tx) } else { try MemberHandshake.notifyAdmin(of: member, in: group, user, tx) }
    }

    /// The member has sent a message directly, so it knows that it is connected. (It may send receipts before.)
    static func heard(_ member: inout MemberRecord, in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        guard member.isUntold else { return }
        try member.setUntold(false, tx)
        try notifyAdmin(of: member, in: group, user, tx)
    }

    /// The admin who has introduced the member need not forward messages any more.
    private static func notifyAdmin(of member: MemberRecord, in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        let inviter = member.category == .pre ? group.membership.invitedByMemberId : member.invitedByMemberId
        guard let inviter, let admin = try MemberRecord.find(inviter, user: user.userId, in: tx.db), admin.isReachable, let connection = admin.connection
        else { return }
        try tx.enqueue(ChatMessage(event: .group(.memberConnected(member.sharedID))), to: connection)
    }

    /// The counts have changed.
    mutating func refresh() throws {
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        member = try MemberRecord.get(member.memberId, in: group, tx.db)
    }
}
