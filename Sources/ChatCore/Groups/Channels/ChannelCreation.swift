internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher
internal import SimpleXCrypto

/// Creation of a channel: its keys, its link without relays, and the invitations of all relays. When a step fails, or
/// the process ends before the answer, the channel is deleted.
extension RunningCommand {
    /// `/_public group`: creates a channel.
    func createChannel(
        _ profile: GroupProfile,
        relays relayIds: [Int64],
        incognito: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        try DisplayName.check(profile.displayName)
        let relays = try await findRelays(relayIds, user)
        guard !relays.isEmpty else { throw ChatFailure.commandError("no relays") }
        let keys = try ChannelKeys()
        let linkID = GroupLinkRecord.makeLinkID(for: nil)
        let (made, shown) = try await createLink(profile, keys, linkID, user)
        let group: GroupRecord
        do {
            group = try await store.write { tx in
                try tx.db.execute("DELETE FROM channel_links_in_progress WHERE request_key = ?", [keys.linkRequestKey])
                let group = try GroupRecord.create(shown, keys, incognito: incognito, user, tx)
                try GroupLinkRecord.create(made, id: linkID, role: .observer, of: group, tx)
                return group
            }
        } catch {
            try await store.write { tx in
                try tx.db.execute("DELETE FROM channel_links_in_progress WHERE request_key = ?", [keys.linkRequestKey])
                try tx.requestDeletionInAgent(of: made.connectionID.text, user: user.userId)
            }
            throw error
        }
        do {
            let failures = try await inviteRelays(relays, to: group, user)
            guard failures.isEmpty else { return try await deleteChannelAfterFailure(group, relays, failures, user) }
            return try await store.writeAndAnswer { tx in
                var now = try GroupRecord.get(group.groupId, user: user, in: tx.db)
                try tx.db.update(
                    "groups",
                    set: ["in_progress": 0],
                    where: ["user_id": user.userId, "group_id": group.groupId]
                )
                let answer = ChatResponse.publicGroupCreated(
                    user: user.api,
                    groupInfo: now.api(user),
                    groupLink: try GroupLinkRecord.get(of: now, user, in: tx.db).api,
                    groupRelays: try GroupRelayRecord.all(of: now, in: tx.db).map(\.api)
                )
                try GroupItems.writeNewGroupItems(&now, user, tx)
                return answer
            }
        } catch {
            try await store.write { tx in
                try GroupRecord.find(group.groupId, user: user.userId, in: tx.db)?.deleteUnfinishedChannel(tx)
            }
            throw error
        }
    }

    /// Deletes the channel after failed invitations, and returns the result of the invitation of each relay.
    /// - Throws: the first failure, if all failures are temporary. The user can then repeat the command.
    private func deleteChannelAfterFailure(
        _ group: GroupRecord,
        _ relays: [UserChatRelay],
        _ failures: [Int64: RelayInvitationFailure],
        _ user: UserRecord
    ) async throws -> ChatResponse {
        if failures.values.allSatisfy(\.isTemporary),
            let first = relays.lazy.compactMap({ $0.chatRelayId.flatMap { failures[$0] } }).first
        {
            throw first.failure
        }
        return try await store.writeAndAnswer { tx in
            try GroupRecord.find(group.groupId, user: user.userId, in: tx.db)?.deleteUnfinishedChannel(tx)
            return .publicGroupCreationFailed(user: user.api, addRelayResults: relays.makeAddRelayResults(failures))
        }
    }

    /// Returns the relays with these ids, each relay once.
    func findRelays(_ relayIds: [Int64], _ user: UserRecord) async throws -> [UserChatRelay] {
        var seen: Set<Int64> = []
        let ids = relayIds.filter { seen.insert($0).inserted }
        guard ids.count <= ChannelRelays.maxRelays else {
            throw ChatFailure.commandError("more than \(ChannelRelays.maxRelays) relays")
        }
        return try await store.read { db in try ids.map { try ChatRelays.get($0, user: user, in: db) } }
    }

    /// Creates the link of a channel. The data of the link includes the profile, and the profile names the link.
    private func createLink(
        _ profile: GroupProfile,
        _ keys: ChannelKeys,
        _ linkID: String,
        _ user: UserRecord
    ) async throws -> (CreatedChannelLink, GroupProfile) {
        try await store.write { tx in
            try tx.db.insert(
                into: "channel_links_in_progress",
                ["request_key": keys.linkRequestKey, "user_id": user.userId]
            )
        }
        do {
            let (id, request, link) = try await services.withAgent {
                try await $0.createAddress(
                    user: user.agentUserId,
                    clientData: GroupLinkRecord.makeClientData(linkID),
                    type: .channel,
                    identity: LinkIdentity(rootKey: keys.rootKey, entityID: keys.publicGroupID),
                    for: keys.linkRequestKey,
                    patience: .interactive
                ) { link in
                    try ChannelLink.makeLinkData(
                        profile.addingChannelLink(keys, link.shownURI),
                        members: 1,
                        owner: keys.ownerID,
                        key: keys.memberKey.publicKey,
                        root: keys.rootKey,
                        relays: []
                    )
                }
            }
            guard let link else {
                try await store.write { tx in try tx.requestDeletionInAgent(of: id.text, user: user.userId) }
                throw ChatFailure(
                    ChatErrorType.exception(message: "the link of the channel was made without a short link")
                )
            }
            return (
                CreatedChannelLink(connectionID: id, request: request, shortLink: link),
                profile.addingChannelLink(keys, link.shownURI)
            )
        } catch {
            try await store.write { tx in
                try tx.db.execute("DELETE FROM channel_links_in_progress WHERE request_key = ?", [keys.linkRequestKey])
            }
            throw error
        }
    }
}

/// The keys of a new channel, and the key of its owner.
struct ChannelKeys: Sendable {
    let rootKey: Ed25519.PrivateKey
    let memberKey: Ed25519.PrivateKey
    let ownerID = MemberID.random()
    /// The idempotency key with which the agent is asked to create the link. After a crash, the agent finds the created
    /// link by this key.
    let linkRequestKey = RandomBytes.make(count: 32)

    init() throws {
        rootKey = try Ed25519.PrivateKey()
        memberKey = try Ed25519.PrivateKey()
    }

    var publicGroupID: [UInt8] { Digest.sha256(rootKey.publicKey.rawRepresentation) }
}

/// A link that the agent has created, and that is not stored yet.
struct CreatedChannelLink: Sendable {
    let connectionID: ConnectionID
    let request: ConnectionRequest
    let shortLink: ShortLink
}

extension GroupProfile {
    /// Returns the profile with the link and the id of the channel.
    fileprivate func addingChannelLink(_ keys: ChannelKeys, _ link: String) -> GroupProfile {
        var profile = self
        profile.publicGroup = PublicGroupProfile(
            groupType: .channel,
            groupLink: link,
            publicGroupId: Base64URL.encode(keys.publicGroupID)
        )
        return profile
    }
}

extension GroupRecord {
    /// Creates a channel of the user in the state `in_progress`. The state ends when all relays are invited.
    fileprivate static func create(
        _ profile: GroupProfile,
        _ keys: ChannelKeys,
        incognito: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> GroupRecord {
        let group = try create(profile, as: keys.ownerID, incognito: incognito, user, tx)
        try tx.db.update(
            "groups",
            set: [
                "public_group_id": keys.publicGroupID, "root_key": keys.rootKey.publicKey.rawRepresentation,
                "root_private_key": keys.rootKey.rawRepresentation, "member_key": keys.memberKey.rawRepresentation,
                "public_members": 1, "in_progress": true,
            ],
            where: ["user_id": user.userId, "group_id": group.groupId]
        )
        var own = group.membership
        try own.storeSignatureKey(keys.memberKey.publicKey, tx)
        return try get(group.groupId, user: user, in: tx.db)
    }

    /// Deletes a channel whose creation has not finished, and its connections to relays.
    func deleteUnfinishedChannel(_ tx: Transaction) throws {
        for member in try MemberRecord.findOthers(in: self, tx.db) {
            for connection in try ConnectionRecord.all(of: member, in: tx.db) where connection.status != .deleted {
                try tx.requestDeletionInAgent(connection, .silent)
            }
        }
        try delete(tx)
    }
}

extension GroupLinkRecord {
    static func create(
        _ made: CreatedChannelLink,
        id: String,
        role: GroupMemberRole,
        of group: GroupRecord,
        _ tx: Transaction
    ) throws {
        try tx.db.insert(
            into: "group_links",
            [
                "user_contact_link_id": try LinkConnection.reserveLinkId(in: tx.db), "user_id": group.userId,
                "group_id": group.groupId, "connection_id": try ConnectionRecord.reserveRowId(in: tx.db),
                "agent_conn_id": made.connectionID.text, "conn_full_link": made.request.uri,
                "conn_short_link": made.shortLink.shownURI, "group_link_id": id, "member_role": role.rawValue,
                "created_at": tx.now.nanoseconds,
            ]
        )
    }
}

extension CoreServices {
    /// Deletes data that an earlier process has left unfinished: tests of relays, links that were not stored, channels
    /// whose creation did not finish, and relays whose invitation did not finish.
    func cleanUpUnfinishedChannels(in store: some StoreAccess) async throws {
        let (requests, hasUnfinished) = try await store.read { db in
            (
                try db.query("SELECT request_key, user_id FROM channel_links_in_progress").map {
                    (try $0.blob("request_key"), try $0.int64("user_id"))
                },
                try db.hasRow(
                    """
                    SELECT 1 FROM relay_tests UNION ALL SELECT 1 FROM groups WHERE in_progress = 1
                    UNION ALL SELECT 1 FROM group_relays WHERE relay_status = 'new'
                    """
                )
            )
        }
        guard hasUnfinished || !requests.isEmpty else { return }
        var links: [(ConnectionID, Int64)] = []
        for (key, userId) in requests {
            if let id = try await agent.findConnection(madeFor: key) { links.append((id, userId)) }
        }
        try await store.write { [links] tx in
            try RelayTestRegistry.deleteUnfinishedTests(tx)
            for (id, userId) in links where try GroupLinkRecord.find(agent: id, in: tx.db) == nil {
                try tx.requestDeletionInAgent(of: id.text, user: userId)
            }
            if !requests.isEmpty { try tx.db.execute("DELETE FROM channel_links_in_progress") }
            for row in try tx.db.query("SELECT user_id, group_id FROM groups WHERE in_progress = 1") {
                try GroupRecord.find(row.int64("group_id"), user: row.int64("user_id"), in: tx.db)?
                    .deleteUnfinishedChannel(tx)
            }
            for row in try tx.db.query("SELECT user_id, group_member_id FROM group_relays WHERE relay_status = 'new'") {
                guard
                    var member = try MemberRecord.find(
                        row.int64("group_member_id"),
                        user: row.int64("user_id"),
                        in: tx.db
                    )
                else { continue }
                try member.disconnect(afterDelivery: false, tx)
                try member.delete(tx)
            }
        }
    }
}
