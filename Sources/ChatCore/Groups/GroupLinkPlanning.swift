internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import SQLCipher
internal import SimpleXCrypto

/// Predicts the result of connecting by the link of a group or channel: the connection plan.
extension RunningCommand {
    /// Returns the connection plan for a link of a group; nil for other links.
    /// - Parameters:
    ///   - mode: when to read the data of a link: never, only for an unknown group, or also for a known group.
    ///   - signature: the signature of the owner, if the message with the link contains one.
    func planJoining(
        _ link: String,
        _ mode: PlanResolveMode = .unknown,
        signature: LinkOwnerSig? = nil,
        user: UserRecord
    ) async throws -> ChatResponse? {
        if let request = try? ConnectionRequest(parsing: link) {
            guard request.leadsToGroup else { return nil }
            return try await store.read { db in
                try Self.makePlanResponse(
                    CreatedConnLink(connFullLink: request.uri),
                    try Self.planGroupLink(ResolvedLink(request: request), nil, user, db),
                    user
                )
            }
        }
        guard let short = try? ShortLink(atServer: link), case .contact(let type) = short.kind else { return nil }
        guard type != .relay else {
            throw ChatFailure.commandError("chat relay links are not supported in this version")
        }
        // The address of a business also leads to a group. The program recognizes this only if the group is already
        // known.
        if let known = try await store.read({ db in try Self.planKnownGroup(short, user, db) }) {
            guard mode == .allGroups, type != .contact,
                case .connectionPlan(_, _, _, _, .groupLink(.known(let group, _, _, _))) = known
            else { return known }
            return try await refreshAndPlanGroup(group.groupId, short, signature, user)
        }
        guard type != .contact else { return nil }
        guard mode != .never else { throw ChatFailure(ChatErrorType.notResolvedLocally) }
        let resolved = try await resolveGroup(short, user: user)
        let verification = resolved.verifyOwnerSignature(signature)
        guard let info = resolved.group?.info else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        let data = resolved.group?.data
        if !info.direct {
            if let type = data?.groupProfile.publicGroup?.groupType, type != .channel {
                return try Self.makePlanResponse(resolved.link, .updateRequired(groupSLinkData_: data), user)
            }
            if info.groupRelays.isEmpty {
                return try Self.makePlanResponse(resolved.link, .noRelays(groupSLinkData_: data), user)
            }
        }
        guard info.publicGroupId == data?.groupProfile.publicGroup?.publicGroupId else {
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        return try await store.read { db in
            try Self.makePlanResponse(resolved.link, try Self.planGroupLink(resolved, verification, user, db), user)
        }
    }

    /// Reads the link of a known group again, updates the group with the data of the link, and returns the connection
    /// plan for the updated group.
    private func refreshAndPlanGroup(
        _ groupId: Int64,
        _ short: ShortLink,
        _ signature: LinkOwnerSig?,
        _ user: UserRecord
    ) async throws -> ChatResponse {
        let group = try await store.read { db in try GroupRecord.get(groupId, user: user, in: db) }
        let channel =
            group.isChannel
            ? try await services.withAgent {
                try await ChannelLinkData.readFromServer(of: group, user, $0, patience: .interactive)
            } : nil
        let resolved =
            if let channel { ResolvedLink(request: channel.request, shortLink: short, signers: channel.signers) } else {
                try await resolveGroup(short, user: user)
            }
        let owners = resolved.signers?.owners.map {
            GroupLinkOwner(memberId: MemberID(bytes: $0.id).text, memberKey: MemberKey($0.key).text)
        }
        return try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let earlierProfile = group.profile
            if let channel {
                try group.storeLinkData(channel, tx)
            } else if !group.membership.status.isActive, var profile = resolved.group?.data?.groupProfile,
                profile.publicGroup == nil
            {
                // The profile in the link is used only while the user has not joined the group. In a joined group, the
                // members set the profile.
                profile.replaceUnshowableValues()
                if profile != group.profile { try group.replaceProfile(profile, tx) }
            }
            group = try GroupRecord.get(groupId, user: user, in: tx.db)
            return try Self.makePlanResponse(
                resolved.link,
                .known(
                    groupInfo: group.api(user),
                    // A changed number of members is no update, as in the original.
                    groupUpdated: group.profile != earlierProfile,
                    ownerVerification: resolved.verifyOwnerSignature(signature),
                    linkOwners: owners ?? []
                ),
                user
            )
        }
    }

    private static func makePlanResponse(
        _ link: CreatedConnLink,
        _ plan: GroupLinkPlan,
        _ user: UserRecord
    ) throws -> ChatResponse {
        .connectionPlan(
            user: user.api,
            connLink: link,
            planSimplexName: nil,
            otherSimplexName: nil,
            connectionPlan: .groupLink(groupLinkPlan: plan)
        )
    }

    /// Returns the connection plan for a short link to a group of the user or to a prepared group. Returns nil for
    /// other links, and if the user is no longer in the prepared group. Does not read the data of the link.
    private static func planKnownGroup(
        _ short: ShortLink,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> ChatResponse? {
        if let own = try GroupLinkRecord.find(shortLink: short.uri, user: user.userId, in: db),
            let group = try GroupRecord.find(own.groupId, user: user.userId, in: db)
        {
            return try makePlanResponse(own.link, .ownLink(groupInfo: group.api(user)), user)
        }
        guard let group = try GroupRecord.findPrepared(short.uri, user: user, in: db), let prepared = group.preparation,
            !group.membership.status.isRemoved
        else {
            return nil
        }
        return try makePlanResponse(
            prepared.chatPreparation.link,
            .known(groupInfo: group.api(user), groupUpdated: false, ownerVerification: nil, linkOwners: []),
            user
        )
    }

    /// Returns the connection plan for a link by which the user has asked to join a group; nil if the user is no longer
    /// in the group.
    static func planJoinedGroup(
        _ group: GroupRecord,
        _ verification: OwnerVerification?,
        _ user: UserRecord
    ) -> GroupLinkPlan? {
        let status = group.membership.status
        if status.isActive || status == .rejected {
            return .known(
                groupInfo: group.api(user),
                groupUpdated: false,
                ownerVerification: verification,
                linkOwners: []
            )
        }
        return status.isRemoved ? nil : .connectingProhibit(groupInfo_: group.api(user))
    }

    /// Returns the connection plan for the resolved link of a group.
    /// - Parameter verification: the result of checking the owner's signature; nil for a link without a signature.
    private static func planGroupLink(
        _ resolved: ResolvedLink,
        _ verification: OwnerVerification?,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> GroupLinkPlan {
        let uri = resolved.request.uri
        if let own = try GroupLinkRecord.find(fullLink: uri, user: user.userId, in: db),
            let group = try GroupRecord.find(own.groupId, user: user.userId, in: db)
        {
            return .ownLink(groupInfo: group.api(user))
        }
        let ok = GroupLinkPlan.ok(
            groupSLinkInfo_: resolved.group?.info,
            groupSLinkData_: resolved.group?.data,
            ownerVerification: verification,
            verifiedDomain: nil
        )
        if let group = try GroupRecord.find(viaLink: uri, user, in: db) {
            return planJoinedGroup(group, verification, user) ?? ok
        }
        guard let connection = try ConnectionRecord.find(link: uri, user: user.userId, in: db),
            connection.status != .deleted
        else { return ok }
        switch connection.owner {
        case .pending, .address: return .connectingConfirmReconnect
        case .contact(let contactId):
            guard let contact = try ContactRecord.find(contactId, user: user.userId, in: db), contact.isActive,
                !contact.isReady
            else { return ok }
            return .connectingProhibit(groupInfo_: nil)
        case .member(let memberId):
            let member = try MemberRecord.find(memberId, user: user.userId, in: db)
            let group = try member.flatMap { try GroupRecord.find($0.groupId, user: user.userId, in: db) }
            return group.map { $0.membership.status.isRemoved ? ok : .connectingProhibit(groupInfo_: $0.api(user)) }
                ?? ok
        }
    }

    /// Reads the data of the short link of a group.
    func resolveGroup(_ short: ShortLink, user: UserRecord) async throws -> ResolvedLink {
        let own = try await store.read { db in try GroupLinkRecord.find(shortLink: short.uri, user: user.userId, in: db)
        }
        if let own { return ResolvedLink(request: try ConnectionRequest(parsing: own.fullLink), shortLink: short) }
        let (request, data, signers) = try await services.withAgent {
            try await $0.fetchLinkData(user: user.agentUserId, short, patience: .interactive)
        }
        var resolved = ResolvedLink(request: request, shortLink: short, signers: signers)
        if case .contact(let contact) = data {
            resolved.group = ResolvedLink.Group(
                info: GroupShortLinkInfo(
                    direct: contact.isDirect,
                    groupRelays: contact.relays.map(\.uri),
                    publicGroupId: signers.entityID.map { Base64URL.encode($0) }
                ),
                data: ShortLinkData.decode(data.bytes)
            )
        }
        return resolved
    }
}

extension GroupRecord {
    /// Finds the group that the user has joined, or asked to join, by the link.
    static func find(viaLink link: String, _ user: UserRecord, in db: StoreConnection) throws -> GroupRecord? {
        try db.firstRow(
            """
            SELECT g.group_id FROM groups g JOIN group_members m ON m.user_id = g.user_id
            AND m.group_member_id = g.membership_id
            WHERE g.user_id = :user_id AND g.via_group_link_uri = :via_group_link_uri
            AND m.member_status NOT IN ('removed', 'left', 'deleted', 'unknown') LIMIT 1
            """,
            ["user_id": user.userId, "via_group_link_uri": link]
        ).flatMap { try find($0.int64("group_id"), user: user.userId, in: db) }
    }
}
