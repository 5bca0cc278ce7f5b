internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SMP
internal import SQLCipher
internal import SimpleXCrypto

/// The data in the link of a relay: the profile of the relay.
struct RelayLinkUserData: Decodable, Sendable {
    let relayProfile: Profile
}

/// The relays of a channel, which are members of the channel.
enum ChannelRelays {
    /// The maximum number of relays of a channel. A link may name more relays. Relays above the limit are not joined.
    static let maxRelays = 32

    /// Returns the member that stands for the relay with this link. Creates the member if it does not exist. A new
    /// member has a random name until the link of the relay is read.
    static func findOrCreate(
        at link: String,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> MemberRecord {
        if let known = try find(link, in: group, tx.db) { return known }
        let unknown = MemberID.random()
        let created = try MemberRecord.create(
            NewMember(
                id: MemberID(bytes: Array("\(group.localDisplayName)_unknown_relay_".utf8.prefix(200)) + unknown.bytes),
                role: .relay,
                category: .host,
                status: .accepted,
                profileId: 0,
                localDisplayName: "",
                versions: .initial
            ),
            profile: Profile(displayName: String(unknown.text.prefix(7)), fullName: ""),
            in: group.groupId,
            user,
            tx
        )
        try tx.db.update(
            "group_members",
            set: ["relay_link": link],
            where: ["user_id": user.userId, "group_member_id": created.memberId]
        )
        return try MemberRecord.get(created.memberId, in: group, tx.db)
    }

    /// Finds the member that stands for the current relay with this link. A relay that has left and returns becomes
    /// another member.
    static func find(_ link: String, in group: GroupRecord, _ db: StoreConnection) throws -> MemberRecord? {
        let rows = try db.query(
            """
            SELECT group_member_id FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id AND relay_link = :relay_link
            """,
            ["user_id": group.userId, "group_id": group.groupId, "relay_link": link]
        )
        for row in rows {
            if let member = try MemberRecord.find(row.int64("group_member_id"), user: group.userId, in: db),
                member.status.isCurrent
            {
                return member
            }
        }
        return nil
    }

    static func all(of group: GroupRecord, _ db: StoreConnection) throws -> [MemberRecord] {
        let rows = try db.query(
            """
            SELECT group_member_id FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id AND relay_link IS NOT NULL
            """,
            ["user_id": group.userId, "group_id": group.groupId]
        )
        return try MemberRecord.findAll(Set(rows.map { try $0.int64("group_member_id") }), user: group.userId, in: db)
            .values.sorted { $0.memberId < $1.memberId }
    }
}

/// Joins one relay of a channel by the link of the relay. The join can be repeated at any time, and continues after the
/// last finished step of an earlier attempt.
struct RelayJoiner: Sendable {
    let store: any StoreAccess
    let agent: Agent
    let user: UserRecord
    let memberId: Int64

    func joinRelay(patience: Patience) async throws {
        let (user, memberId) = (user, memberId)
        guard
            let (group, relay) = try await store.read({ db -> (GroupRecord, MemberRecord)? in
                guard let relay = try MemberRecord.find(memberId, user: user.userId, in: db),
                    let group = try GroupRecord.find(relay.groupId, user: user.userId, in: db)
                else { return nil }
                return (group, relay)
            }), let link = relay.relayLink, relay.status.isCurrent, !group.membership.status.isRemoved
        else { return }
        if let connection = relay.connection, connection.status != .prepared { return }
        let (request, data, signers) = try await agent.fetchLinkData(
            user: user.agentUserId,
            ShortLink(atServer: link),
            patience: patience
        )
        guard case .contact(let contact) = data, let id = signers.entityID, !id.isEmpty,
            let known: RelayLinkUserData = ShortLinkData.decode(contact.userData)
        else {
            throw ChatFailure(ChatErrorType.exception(message: "the link of the relay has no data or no entity id"))
        }
        try await store.write { tx in
            try Self.storeIdentity(
                memberId,
                as: MemberID(bytes: id),
                signers.rootKey,
                known.relayProfile,
                in: group,
                tx
            )
        }
        let connection = try await prepareConnection(request, group, relay, link)
        guard let signer = group.signer, let agentID = connection.agentConnectionID else {
            throw ChatFailure(ChatErrorType.exception(message: "the channel has no keys"))
        }
        let message = ChatMessage(
            event: .relay(
                .join(
                    ChannelJoinRequest(
                        profile: try group.ownProfile(user),
                        id: group.membership.sharedID,
                        key: MemberKey(signer.key.publicKey),
                        relay: MemberID(bytes: id)
                    )
                )
            )
        )
        let info = try signer.encodeAndSign(message, limit: ChatMessageLimits.connectionInfoBytes)
        do {
            _ = try await agent.join(connection: agentID, request: request, connInfo: info, patience: patience)
        } catch AgentError.command(.prohibited, _) {
            // The connection was joined by an earlier process, which ended before it stored the new status.
        }
        try await recordJoin(over: connection, in: group)
    }

    /// Marks the connection to the relay as joined, and removes the steps that would join the relay later.
    private func recordJoin(over connection: ConnectionRecord, in group: GroupRecord) async throws {
        let (user, memberId) = (user, memberId)
        try await store.write { tx in
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(.joined, at: tx.now, in: tx.db)
            }
            try MemberSteps.removeSteps(memberId, user: user.userId, tx)
            // Usually the command that began to join the channel sets the progress of joining. If the process of the
            // command has ended, this transaction sets the progress.
            if var now = try GroupRecord.find(group.groupId, user: user.userId, in: tx.db),
                now.preparation?.progress == .prepared
            {
                try now.setProgress(.started, tx)
            }
        }
    }

    /// Stores the id, the key and the profile from the link of the relay.
    private static func storeIdentity(
        _ memberId: Int64,
        as id: MemberID,
        _ key: Ed25519.PublicKey,
        _ profile: Profile,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        var relay = try MemberRecord.get(memberId, in: group, tx.db)
        let other = try MemberRecord.find(id, in: group, tx.db)
        // The id must belong neither to another member nor to the user. A relay whose key is known must have the same
        // id and the same key as before.
        guard id != group.membership.sharedID, other == nil || other?.memberId == memberId,
            relay.signatureKey == nil || relay.sharedID == id && relay.signatureKey == key
        else {
            throw ChatFailure(ChatErrorType.groupDuplicateMemberId)
        }
        try tx.db.update(
            "group_members",
            set: ["member_id": id.bytes],
            where: ["user_id": relay.userId, "group_member_id": memberId]
        )
        try relay.storeSignatureKey(key, tx)
        var profile = profile
        profile.replaceUnshowableValues()
        try relay.setProfile(profile, tx)
    }

    private func prepareConnection(
        _ request: ConnectionRequest,
        _ group: GroupRecord,
        _ relay: MemberRecord,
        _ link: String
    ) async throws -> ConnectionRecord {
        if let connection = relay.connection { return connection }
        let id = try await agent.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
        let (user, memberId) = (user, memberId)
        return try await store.write { tx in
            guard let now = try MemberRecord.find(memberId, user: user.userId, in: tx.db), now.status.isCurrent else {
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                throw ChatFailure(ChatErrorType.groupMemberNotActive)
            }
            if let connection = now.connection {
                // Another attempt has stored a connection first, so this new connection is deleted.
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                return connection
            }
            return try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .prepared,
                initiated: true,
                fullLink: request.uri,
                shortLink: link,
                owner: .member(memberId),
                incognitoProfileId: group.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: ChatVersionRange.initial.maximum,
                at: tx.now,
                in: tx.db
            )
        }
    }
}

extension MemberRecord {
    /// Stores the key of the member's signatures. A known key never changes: another key belongs to another member.
    mutating func storeSignatureKey(_ key: Ed25519.PublicKey, _ tx: Transaction) throws {
        guard self.signatureKey == nil else { return }
        self.signatureKey = key
        try tx.db.update(
            "group_members",
            set: ["member_key": key.rawRepresentation],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }
}
