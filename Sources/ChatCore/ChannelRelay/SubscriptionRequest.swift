internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON

/// Request to join a channel by the link of one of its relays.
struct SubscriptionRequest {
    let request: ChannelJoinRequest
    let signedMessage: SignedMessage?
    let versions: ChatVersionRange
    let link: GroupLinkRecord
    let user: UserRecord
    let tx: Transaction

    enum Refusal: Error {
        case refused(String)
        case failed(any Error)
    }

    /// Stores the subscriber as a member of the channel. A member who is known from the roster or from an earlier
    /// request may join only with the known key.
    func storeMember(
        in group: GroupRecord,
        over connection: ConnectionID,
        by invitation: InvitationID,
        _ limits: ChannelRelayLimits
    ) throws(Refusal) -> JoiningMember? {
        do {
            guard var profile = try? JSONDecoder().decode(Profile.self, from: request.profile),
                !request.id.bytes.isEmpty, request.id.bytes.count <= 255,
                request.id != group.membership.sharedID,
                let version = ChatVersionRange.supported.compatibleVersion(with: versions)
            else { throw Refusal.refused("x.member: invalid request") }
            profile.replaceUnshowableValues()
            let isProven = try hasValidSignature(in: group)
            let stored =
                if let known = try MemberRecord.find(request.id, in: group, tx.db) {
                    try acceptMemberAgain(known, profile, isProven: isProven)
                } else {
                    try createMember(profile, in: group, limits)
                }
            try createConnection(to: stored, agent: connection, version)
            try tx.db.update(
                "group_members",
                set: ["join_invitation": invitation, "roster_served": nil],
                where: ["user_id": user.userId, "group_member_id": stored.memberId]
            )
            let member = try MemberRecord.get(stored.memberId, in: group, tx.db)
            var now = try GroupRecord.get(group.groupId, user: user, in: tx.db)
            let joining = try JoiningMember(subscriber: member, now)
            try GroupItems.writeEventItem(.invitedViaGroupLink, by: member, nil, in: &now, user, tx)
            try tx.emit(
                .acceptingGroupJoinRequestMember(user: user.api, groupInfo: group.api(user), member: member.api),
                user: user.userId
            )
            return joining
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .failed(error)
        }
    }

    /// Lets a known member join again, and updates the member's profile.
    /// - Parameter isProven: whether a signature proves that the request comes from the owner of the key in the
    ///   request.
    private func acceptMemberAgain(_ known: MemberRecord, _ profile: Profile, isProven: Bool) throws -> MemberRecord {
        guard isProven, known.signatureKey == request.key.key, !known.isRelay, known.role != .owner,
            !known.status.isRemoved
        else {
            throw Refusal.refused(
                "x.member: the id is that of a member, and the key or the signature is not"
            )
        }
        var member = known
        // The relay has one connection to each member, so the old connection ends.
        try member.disconnect(afterDelivery: false, tx)
        try member.setStatus(.accepted, tx)
        try member.setVersions(versions, tx)
        // Each message proves the same badge with a new proof, so proofs are not compared.
        if !profile.hasSameContent(of: member.profile)
            || tx.mayImproveBadgeStatus(profile, member.profile, member.badgeStatus)
        {
            try member.setProfile(profile, tx)
        }
        return member
    }

    private func createMember(
        _ profile: Profile,
        in group: GroupRecord,
        _ limits: ChannelRelayLimits
    ) throws -> MemberRecord {
        guard try !RemovedMembers.contains(request.id, in: group, tx.db) else {
            throw Refusal.refused("x.member: a member with this id was removed")
        }
        guard group.currentMemberCount < limits.maxMembersPerChannel else {
            throw Refusal.refused("x.member: the channel has too many members")
        }
        var member = try MemberRecord.create(
            NewMember(
                id: request.id,
                role: link.role,
                category: .invitee,
                status: .accepted,
                invitedByContactId: 0,
                invitedByMemberId: group.membership.memberId,
                profileId: 0,
                localDisplayName: "",
                versions: versions
            ),
            profile: profile,
            in: group.groupId,
            user,
            tx
        )
        try member.storeSignatureKey(request.key.key, tx)
        return member
    }

    private func createConnection(to member: MemberRecord, agent id: ConnectionID, _ version: Int) throws {
        let created = try ConnectionRecord.create(
            agent: id,
            user: user,
            status: .new,
            initiated: false,
            fullLink: nil,
            owner: .member(member.memberId),
            pqSupport: false,
            chatVersion: version,
            peerVersions: versions,
            at: tx.now,
            in: tx.db
        )
        try tx.db.update(
            "connections",
            set: ["via_user_contact_link": link.linkId, "via_group_link": 1],
            where: ["connection_id": created.connectionId]
        )
    }

    /// Returns whether the request names this relay and is signed with the key that the request contains. Apps before
    /// version 7 do not sign requests.
    /// - Throws: a refusal for a request to another relay, or with an invalid signature.
    private func hasValidSignature(in group: GroupRecord) throws -> Bool {
        guard request.relayID == nil || request.relayID == group.membership.sharedID else {
            throw Refusal.refused("x.member: request to another relay")
        }
        guard let signedMessage, let channel = group.channel else { return false }
        guard
            signedMessage.isValid(
                request.key.key,
                bound: GroupBinding(publicGroupID: channel.publicGroupID, member: request.id)
            )
        else {
            throw Refusal.refused("x.member: invalid signature")
        }
        return request.relayID != nil
    }
}
