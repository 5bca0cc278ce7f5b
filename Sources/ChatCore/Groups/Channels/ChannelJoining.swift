internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SMP
internal import SQLCipher
internal import SimpleXCrypto

/// Joining a channel by its link. The owners sign the link, and the link names the relays that the user joins.
extension RunningCommand {
    /// `/_prepare group … direct=off`: creates the channel, with its description as the first post. Nothing is sent to
    /// the channel.
    func prepareChannel(
        link: CreatedConnLink,
        name: NameDomain?,
        data: GroupShortLinkData,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard let publicGroup = data.groupProfile.publicGroup,
            let id = try? Base64URL.decode(publicGroup.publicGroupId), !id.isEmpty, id.count <= 255
        else {
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        return try await store.writeAndAnswer { tx in
            let welcome = data.groupProfile.description.map { MsgContent.text(text: $0) }
            let preparation = ChatPreparation(link: link, welcomeID: welcome.map { _ in .random() })
            var group = try GroupRecord.create(
                channel: data.groupProfile,
                id: id,
                members: data.publicGroupData?.publicMemberCount,
                preparation,
                user,
                tx
            )
            if let name { try DomainCheck(name, isVerified: true).store(in: group, tx) }
            return try Self.writePreparedChat(&group, by: nil, welcome, id: preparation.welcomeID, user, tx)
        }
    }

    /// `/_connect group #` with a channel: joins the relays that the link names now. One joined relay is enough. If a
    /// relay fails temporarily, the program tries later to join it again.
    /// - Parameter ownerContact: a contact who has shared the link as an owner of the channel.
    func connectChannel(
        _ group: GroupRecord,
        ownerContact: GroupOwnerContact?,
        incognito: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        let groupId = group.groupId
        let link = try await services.withAgent {
            try await ChannelLinkData.readFromServer(of: group, user, $0, patience: .interactive)
        }
        let relays = try await emitChatOnFailure(.group(groupId), user) {
            try await self.store.write { tx in
                let group = try GroupRecord.get(groupId, user: user, in: tx.db)
                try group.storeJoiningData(joining: link, ownerContact, incognito: incognito, user, tx)
                return try Self.reserveRelays(of: link, in: groupId, user, tx)
            }
        }
        let failures = try await joinRelays(relays, user)
        let connected = relays.filter { failures[$0] == nil }
        guard !connected.isEmpty else {
            try await giveUpJoining(relays, groupId, user)
            let all = relays.compactMap { failures[$0] }
            throw (all.first(where: \.isTemporary) ?? all.first)?.failure
                ?? ChatFailure(ChatErrorType.exception(message: "no relay of the channel was tried"))
        }
        return try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            try group.setProgress(.started, tx)
            group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let results = try relays.map { id -> RelayConnectionResult in
                let relay = try MemberRecord.get(id, in: group, tx.db)
                if let failure = failures[id] {
                    if failure.isTemporary {
                        try MemberSteps.addStep(.relay, to: relay, request: relay.relayLink, tx)
                    } else {
                        try MemberSteps.removeSteps(relay, tx)
                    }
                }
                return RelayConnectionResult(relayMember: relay.api, relayError: failures[id]?.failure.error)
            }
            let profile = try IncognitoProfile.find(group.membership.incognitoProfileId, in: tx.db)
            return .startedConnectionToGroup(
                user: user.api,
                groupInfo: group.api(user),
                customUserProfile: profile,
                relayResults: results
            )
        }
    }

    /// Stores the relays that a link names, as members.
    /// - Returns: the ids of the members.
    private static func reserveRelays(
        of link: ChannelLinkData,
        in groupId: Int64,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [Int64] {
        let group = try GroupRecord.get(groupId, user: user, in: tx.db)
        return try link.relays.prefix(ChannelRelays.maxRelays).map { uri in
            let relay = try ChannelRelays.findOrCreate(at: uri, in: group, user, tx)
            // If this process ends before the relay is joined, the stored step makes the next process join the relay.
            if relay.connection.map({ $0.status == .prepared }) ?? true {
                try MemberSteps.addStep(.relayReserved, to: relay, request: uri, tx)
            }
            return relay.memberId
        }
    }

    /// Cancels later attempts to join the relays. The command reports its failure to the user, who can repeat the
    /// command.
    private func giveUpJoining(_ relays: [Int64], _ groupId: Int64, _ user: UserRecord) async throws {
        try await store.write { tx in
            for id in relays { try MemberSteps.removeSteps(id, user: user.userId, tx) }
            try tx.emit(
                .chatInfoUpdated(
                    user: user.api,
                    chatInfo: GroupRecord.get(groupId, user: user, in: tx.db).chatInfo(user)
                ),
                user: user.userId
            )
        }
    }

    /// A failure to join a relay.
    private struct RelayFailure: Sendable {
        let failure: ChatFailure
        /// Whether a later attempt may succeed.
        let isTemporary: Bool
    }

    /// Joins all relays at the same time.
    /// - Returns: the failures, by the member ids of the relays.
    private func joinRelays(_ relays: [Int64], _ user: UserRecord) async throws -> [Int64: RelayFailure] {
        try await services.withAgent { agent in
            try await withThrowingTaskGroup(of: (Int64, RelayFailure?).self) { tasks in
                for id in relays {
                    tasks.addTask {
                        do {
                            try await RelayJoiner(store: self.store, agent: agent, user: user, memberId: id).joinRelay(
                                patience: .interactive
                            )
                            return (id, nil)
                        } catch let error as AgentError {
                            return (
                                id,
                                RelayFailure(
                                    failure: ChatFailure(ChatError.agentError(error.apiError)),
                                    isTemporary: error.isTemporary
                                )
                            )
                        } catch let failure as ChatFailure {
                            return (id, RelayFailure(failure: failure, isTemporary: false))
                        }
                    }
                }
                var failures: [Int64: RelayFailure] = [:]
                for try await (id, failure) in tasks { failures[id] = failure }
                return failures
            }
        }
    }
}

extension GroupRecord {
    /// Stores the number of members that the owner states. Nil and negative numbers are ignored.
    func setPublicMemberCount(_ count: Int64?, _ tx: Transaction) throws {
        guard let count, count >= 0 else { return }
        try tx.db.update("groups", set: ["public_members": count], where: ["user_id": userId, "group_id": groupId])
    }

    /// Creates a channel that the user has not joined yet.
    static func create(
        channel profile: GroupProfile,
        id: [UInt8],
        members: Int64?,
        _ preparation: ChatPreparation,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> GroupRecord {
        var profile = profile
        profile.replaceUnshowableValues()
        let group = try create(profile, as: MemberIdRole(id: .random(), role: .observer), .unknown, user, tx)
        try preparation.store(in: .group(group.groupId), user: user, tx.db)
        try tx.db.update(
            "groups",
            set: ["public_group_id": id],
            where: ["user_id": user.userId, "group_id": group.groupId]
        )
        try group.setPublicMemberCount(members, tx)
        return try get(group.groupId, user: user, in: tx.db)
    }

    /// Stores the data of the channel's link, and makes the signature key of the user if the user has none. A repeated
    /// attempt to join keeps the key and the profile of the first attempt.
    fileprivate func storeJoiningData(
        joining link: ChannelLinkData,
        _ ownerContact: GroupOwnerContact?,
        incognito: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard !membership.status.isRemoved else { throw ChatFailure(ChatErrorType.groupMemberUserRemoved) }
        // The contact is read first, to check that the contact still exists.
        let contact = try ownerContact.map { try ContactRecord.get($0.contactId, user: user, in: tx.db).contactId }
        var group = self
        try storeLinkData(link, tx)
        try group.setProgress(.prepared, tx)
        try scheduleLinkRead(after: ChannelLinkWorker.linkReadInterval, tx)
        if channel?.memberKey == nil {
            let key = try Ed25519.PrivateKey()
            try tx.db.update(
                "groups",
                set: [
                    "root_key": link.signers.rootKey.rawRepresentation, "member_key": key.rawRepresentation,
                    "via_group_link_uri": link.request.uri,
                ],
                where: ["user_id": userId, "group_id": groupId]
            )
            var own = membership
            try own.storeSignatureKey(key.publicKey, tx)
            if incognito {
                let profile = try IncognitoProfile.create(user, tx)
                try tx.db.update(
                    "group_members",
                    set: [
                        "incognito_profile_id": profile.id,
                        "local_display_name": try LocalDisplayNames.create(
                            profile.profile.displayName,
                            user: userId,
                            in: tx.db
                        ),
                    ],
                    where: ["user_id": userId, "group_member_id": membership.memberId]
                )
            }
        }
        for owner in link.signers.owners {
            let id = MemberID(bytes: owner.id)
            try storeOwner(
                id,
                owner.key,
                contact: ownerContact.flatMap { MemberID(parsing: $0.memberId) == id ? contact : nil },
                user,
                tx
            )
        }
    }

    /// Stores an owner whom the link names, with the key from the link.
    /// - Parameter contactId: the contact who is this owner; nil if no contact is known as this owner.
    private func storeOwner(
        _ id: MemberID,
        _ key: Ed25519.PublicKey,
        contact contactId: Int64?,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard !id.bytes.isEmpty, id != membership.sharedID, try MemberRecord.find(id, in: self, tx.db) == nil else {
            return
        }
        var owner = try MemberRecord.create(
            NewMember(
                id: id,
                role: .owner,
                category: .pre,
                status: .unknown,
                profileId: 0,
                localDisplayName: "",
                versions: .supported
            ),
            profile: Profile(displayName: String(id.text.prefix(7)), fullName: ""),
            in: groupId,
            user,
            tx
        )
        try owner.storeSignatureKey(key, tx)
        guard let contactId else { return }
        try tx.db.update(
            "group_members",
            set: ["contact_id": contactId],
            where: ["user_id": user.userId, "group_member_id": owner.memberId]
        )
    }
}
