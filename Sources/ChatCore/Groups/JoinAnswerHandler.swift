internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

/// A handler of the answer to the user's request to join a group by its link.
struct JoinAnswerHandler {
    let user: UserRecord
    let connection: ConnectionRecord
    let tx: Transaction

    /// The answer of the host. The host is the member whose link the user has used to ask to join.
    private enum Answer {
        case admitted(GroupLinkInvitationMessage)
        case rejected(GroupLinkRejectionMessage)

        init?(_ event: ChatMessageEvent) {
            switch event {
            case .group(.linkInvitation(let invitation)): self = .admitted(invitation)
            case .group(.linkRejection(let rejection)): self = .rejected(rejection)
            default: return nil
            }
        }

        var host: MemberIdRole {
            switch self {
            case .admitted(let invitation): invitation.fromMember
            case .rejected(let rejection): rejection.fromMember
            }
        }

        var ownIdRole: MemberIdRole {
            switch self {
            case .admitted(let invitation): invitation.invitedMember
            case .rejected(let rejection): rejection.invitedMember
            }
        }

        /// The information about the business; nil if the user is not the customer of a business.
        var businessInfo: JSONValue? {
            switch self {
            case .admitted(let invitation): invitation.business
            case .rejected: nil
            }
        }

        var groupProfile: JSONValue {
            switch self {
            case .admitted(let invitation): invitation.groupProfile
            case .rejected(let rejection): rejection.groupProfile
            }
        }

        /// The profile with the name of the host. A rejection does not contain a name, so the first 7 characters of the
        /// host's id are used.
        var hostProfile: Profile {
            let name =
                switch self {
                case .admitted(let invitation): invitation.fromMemberName
                case .rejected(let rejection): String(rejection.fromMember.id.text.prefix(7))
                }
            return Profile(displayName: DisplayName.makeShownPeerName(name), fullName: "")
        }

        func status(in profile: GroupProfile) -> GroupMemberStatus {
            switch self {
            case .admitted(let invitation): (invitation.acceptance ?? .accepted).status(in: profile)
            case .rejected: .rejected
            }
        }
    }

    /// Whether the event answers a request to join that the user has sent over the connection. Such an answer creates a
    /// group.
    static func mayAnswerRequest(_ event: ChatMessageEvent, to connection: ConnectionRecord) -> Bool {
        guard let answer = Answer(event), ![.requested, .accepted, .sndReady, .ready].contains(connection.status) else {
            return false
        }
        if connection.groupLinkID != nil { return connection.owner == .pending }
        // The data of a business address does not always show that the address belongs to a business. So a request to
        // become a contact may get the answer of a business.
        return connection.requestID != nil && answer.businessInfo != nil
    }

    /// Creates the group from the answer. The host is its first member.
    /// - Returns: the message that is sent with the confirmation; nil if the event is not an answer to a request to
    ///   join.
    func handleAnswer(_ event: ChatMessageEvent) throws -> ChatMessageEvent? {
        guard let answer = Answer(event) else { return nil }
        let profile = try readProfile(answer)
        let business = try BusinessChats.decodeInfo(answer.businessInfo)
        let replaced = try deleteReplacedContact()
        var (group, host) = try GroupRecord.create(
            joined: profile,
            by: connection,
            host: answer.host,
            answer.hostProfile,
            as: answer.ownIdRole,
            answer.status(in: profile),
            user,
            tx
        )
        if let business { try group.setBusinessInfo(business, tx) }
        if let contact = replaced {
            _ = try ItemWriter.create(.banner, in: &group, movesChat: false, tx)
            try tx.emit(
                .businessLinkConnecting(
                    user: user.api,
                    groupInfo: group.api(user),
                    hostMember: host.api,
                    fromContact: contact.api(user)
                ),
                user: user.userId
            )
        } else {
            try emitConnectingEvent(answer, group, host)
        }
        return .info(profile: try group.ownProfile(user))
    }

    /// Deletes and returns the contact if its address has proved to be the address of a business. The group replaces
    /// the contact.
    private func deleteReplacedContact() throws -> ContactRecord? {
        guard case .contact(let contactId) = connection.owner,
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else {
            return nil
        }
        try tx.db.execute("UPDATE connections SET contact_id = NULL WHERE connection_id = ?", [connection.connectionId])
        try RunningCommand.deleteEntirely(contact, notify: false, user, tx)
        return contact
    }

    /// Updates a prepared group from the answer, which contains the ids and roles of the host and the user.
    /// - Returns: the message that is sent with the confirmation; nil if the event is not an expected answer.
    func handleAnswer(
        _ event: ChatMessageEvent,
        by host: MemberRecord,
        in group: GroupRecord
    ) throws -> ChatMessageEvent? {
        guard let answer = Answer(event) else { return nil }
        guard [.prepared, .joined].contains(connection.status) else {
            // The agent repeats the answer if the process ended before the agent received the confirmation. A repeated
            // answer of the same host is confirmed again.
            return host.sharedID == answer.host.id ? .info(profile: try group.ownProfile(user)) : nil
        }
        guard group.preparation != nil, !group.membership.status.isRemoved else { return nil }
        let profile = try readProfile(answer)
        try connection.setStatus(.requested, at: tx.now, in: tx.db)
        var (group, host) = (group, host)
        try host.setIdentity(as: answer.host, answer.hostProfile, tx)
        try group.membership.setIdentity(as: answer.ownIdRole, nil, tx)
        try group.membership.setStatus(answer.status(in: profile), tx)
        if group.profile != profile { try group.replaceProfile(profile, tx) }
        if let known = group.businessInfo, var business = try BusinessChats.decodeInfo(answer.businessInfo) {
            // The group keeps the SimpleX name by which the user has found the business.
            business.businessDomain = known.businessDomain ?? business.businessDomain
            try group.setBusinessInfo(business, tx)
        }
        let updated = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        try emitConnectingEvent(answer, updated, MemberRecord.get(host.memberId, in: updated, tx.db))
        return .info(profile: try updated.ownProfile(user))
    }

    private func readProfile(_ answer: Answer) throws -> GroupProfile {
        guard answer.host.id != answer.ownIdRole.id else { throw ChatFailure(ChatErrorType.groupDuplicateMemberId) }
        var profile = try JSONDecoder().decode(GroupProfile.self, from: answer.groupProfile)
        // The answers of channel relays are handled only by `MemberHandshake`, so this handler refuses an answer with a
        // channel.
        guard profile.publicGroup == nil else {
            throw ChatFailure(
                ChatErrorType.exception(message: "x.grp.link.inv: the publicGroupId is that of another channel")
            )
        }
        profile.replaceUnshowableValues()
        return profile
    }

    private func emitConnectingEvent(_ answer: Answer, _ group: GroupRecord, _ host: MemberRecord) throws {
        try tx.emit(
            .groupLinkConnecting(user: user.api, groupInfo: group.api(user), hostMember: host.api),
            user: user.userId
        )
        guard case .rejected(let rejection) = answer else { return }
        try tx.emit(
            .terminalEvent(
                .groupLinkRejected(user: user.api, groupInfo: group.api(user), groupRejectionReason: rejection.reason)
            ),
            user: user.userId
        )
    }
}

extension GroupRecord {
    /// Creates a group that the user joins by its link, and the member who has answered the user's request.
    fileprivate static func create(
        joined profile: GroupProfile,
        by connection: ConnectionRecord,
        host: MemberIdRole,
        _ hostProfile: Profile,
        as part: MemberIdRole,
        _ status: GroupMemberStatus,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> (GroupRecord, MemberRecord) {
        let (group, member) = try create(
            profile,
            host: NewMember(
                id: host.id,
                role: host.role,
                category: .host,
                status: .accepted,
                profileId: 0,
                localDisplayName: "",
                versions: .initial
            ),
            hostProfile,
            as: part,
            status,
            incognito: connection.incognitoProfileId,
            user,
            tx
        )
        try tx.db.update(
            "groups",
            set: ["via_group_link_uri": connection.fullLink],
            where: ["user_id": user.userId, "group_id": group.groupId]
        )
        try tx.db.update(
            "connections",
            set: [
                "group_member_id": member.memberId, "conn_status": ConnStatus.requested.storedText,
                "updated_at": tx.now.nanoseconds,
            ],
            where: ["connection_id": connection.connectionId]
        )
        let created = try get(group.groupId, user: user, in: tx.db)
        return (created, try MemberRecord.get(member.memberId, in: created, tx.db))
    }
}

extension MemberRecord {
    /// Sets the id, the role and the profile of a member, which were unknown before the answer.
    fileprivate mutating func setIdentity(as part: MemberIdRole, _ profile: Profile?, _ tx: Transaction) throws {
        sharedID = part.id
        role = part.role
        try tx.db.update(
            "group_members",
            set: ["member_id": part.id.bytes, "member_role": part.role.rawValue, "updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "group_member_id": memberId]
        )
        if let profile { try setProfile(profile, tx) }
    }
}
