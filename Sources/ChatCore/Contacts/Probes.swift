internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher
internal import SimpleXCrypto

/// Probes detect whether two contacts of a user, or a contact and a member of a group, are the same person. If a peer
/// gets a probe over one connection and the hash of the probe over another connection, one sender has sent both
/// messages (simplex-chat `docs/protocol/simplex-chat.md`, "Probing for duplicate contacts").
enum Probes {
    /// The number of seconds for which a probe or a hash is stored: two weeks.
    private static let lifetimeSeconds: Int64 = 14 * 86400
    /// The maximum number of stored probes and hashes that one peer has sent.
    private static let maxStoredProbesPerPeer = 20
    /// The maximum size of a stored probe or hash, in bytes.
    private static let maxProbeSize = 256
    /// The maximum number of peers that get the hash of a probe, and the maximum number of peers with which a received
    /// probe is compared.
    private static let maxComparedPeers: Int64 = 100

    // MARK: Sending

    /// Sends a probe to a contact or a member, and the hash of the probe to peers with a matching profile. If a contact
    /// gets the probe, members get the hash. If a member gets the probe, contacts get the hash.
    static func sendProbe(
        to peer: ProbePeer,
        over connection: ConnectionRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        // A probe of the original consists of the bytes of a base64 text of 32 bytes. This probe has the same length.
        let probe = Array(Base64.encode(RandomBytes.make(count: 32)).utf8)
        try tx.enqueue(ChatMessage(event: .infoProbe(probe: Base64URL.encode(probe))), to: connection)
        guard !peer.isIncognito, try ContactMerging.isEnabled(tx.db) else { return }
        // A peer that knows the user by an incognito profile gets no hash, since a hash would show to which user the
        // profile belongs.
        let same = try findPeersWithSameName(peer, user, tx.db).compactMap { other in
            other.isIncognito || !other.profile.isSamePerson(as: peer.profile)
                ? nil : other.connection.map { (other, $0) }
        }
        guard !same.isEmpty else { return }
        try tx.db.execute(
            "DELETE FROM sent_probes WHERE user_id = :user_id AND created_at < :created_at",
            ["user_id": user.userId, "created_at": tx.now.adding(seconds: -lifetimeSeconds).nanoseconds]
        )
        try tx.db.insert(
            into: "sent_probes",
            [
                "user_id": user.userId, "contact_id": peer.columnValues.contactId,
                "group_member_id": peer.columnValues.memberId,
                "probe": probe, "created_at": tx.now.nanoseconds,
            ]
        )
        let probeId = tx.db.lastInsertRowID
        try tx.enqueue(
            ChatMessage(event: .infoProbeCheck(probeHash: Base64URL.encode(Digest.sha256(probe)))),
            to: same.map(\.1)
        )
        for (other, _) in same {
            try tx.db.insert(
                into: "sent_probe_hashes",
                [
                    "sent_probe_id": probeId, "user_id": user.userId, "contact_id": other.columnValues.contactId,
                    "group_member_id": other.columnValues.memberId,
                ]
            )
        }
    }

    /// Finds peers with the display name of the given peer. For a contact, finds group members who are not contacts.
    /// For a group member who is not a contact, finds contacts.
    private static func findPeersWithSameName(
        _ peer: ProbePeer,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> [ProbePeer] {
        let named = "contact_profiles p CROSS JOIN", condition = "WHERE p.user_id = ? AND p.display_name = ?"
        let arguments: [Argument] = [user.userId, peer.profile.displayName, user.userId, maxComparedPeers]
        switch peer {
        case .contact:
            let ids = try db.query(
                """
                SELECT m.group_member_id AS id FROM \(named) group_members m ON m.contact_profile_id = p.contact_profile_id
                \(condition) AND m.user_id = ? AND m.contact_id IS NULL AND m.member_category <> 'user' ORDER BY id DESC LIMIT ?
                """,
                arguments
            ).map { try $0.int64("id") }
            let members = try MemberRecord.findAll(Set(ids), user: user.userId, in: db)
            let groups = try GroupRecord.findAll(Set(members.values.map(\.groupId)), user: user.userId, in: db)
            return ids.compactMap { members[$0] }.compactMap { member in
                groups.first { $0.groupId == member.groupId }.map { .member(member, in: $0) }
            }
        case .member(let member, _):
            guard member.contactId == nil else { return [] }
            return try db.query(
                """
                SELECT c.contact_id AS id FROM \(named) contacts c ON c.contact_profile_id = p.contact_profile_id
                \(condition) AND c.user_id = ? AND c.contact_status = 'active' ORDER BY id DESC LIMIT ?
                """,
                arguments
            ).compactMap { try ContactRecord.find($0.int64("id"), user: user.userId, in: db).map { .contact($0) } }
        }
    }

    // MARK: Receiving

    /// Handles a probe: merges the peer with the peers that sent the hash of this probe before.
    /// - Returns: the merged contact; nil when no peer matched.
    static func handleProbe(
        _ text: String,
        from peer: ProbePeer,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord? {
        guard let probe = try? Base64URL.decode(text), probe.count <= maxProbeSize, !peer.isIncognito,
            try ContactMerging.isEnabled(tx.db)
        else { return nil }
        let hash = Digest.sha256(probe)
        let rows = try tx.db.query(
            """
            SELECT contact_id, group_member_id FROM received_probes
            WHERE user_id = :user_id AND probe_hash = :probe_hash AND probe IS NULL
            ORDER BY received_probe_id LIMIT :limit
            """,
            ["user_id": user.userId, "probe_hash": hash, "limit": maxComparedPeers]
        )
        try storeReceivedProbe(probe, hash, peer, tx)
        // The peer is compared with all members, but only with the first contact.
        let contacts = try rows.filter { try $0.int64OrNil("contact_id") != nil }.prefix(1)
        let members = try rows.filter { try $0.int64OrNil("contact_id") == nil }
        var peer = peer, found: ContactRecord?
        for row in contacts + members {
            guard let checked = try ProbePeer.find(row, user: user, in: tx.db),
                let contact = try mergeIfSamePerson(checked, peer, probe, user, tx)
            else { continue }
            found = contact
            if case .contact = peer { peer = .contact(contact) }
        }
        return found
    }

    /// Handles the hash of a probe: merges the peer with the peer that sent the probe before.
    /// - Returns: the merged contact; nil when no peer matched.
    static func handleProbeHash(
        _ text: String,
        from peer: ProbePeer,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord? {
        guard let hash = try? Base64URL.decode(text), hash.count <= maxProbeSize, !peer.isIncognito,
            try ContactMerging.isEnabled(tx.db)
        else { return nil }
        let row = try tx.db.firstRow(
            """
            SELECT contact_id, group_member_id, probe FROM received_probes
            WHERE user_id = :user_id AND probe_hash = :probe_hash AND probe IS NOT NULL
            ORDER BY received_probe_id LIMIT 1
            """,
            ["user_id": user.userId, "probe_hash": hash]
        )
        try storeReceivedProbe(nil, hash, peer, tx)
        guard let row, let prober = try ProbePeer.find(row, user: user, in: tx.db) else { return nil }
        return try mergeIfSamePerson(peer, prober, row.blob("probe"), user, tx)
    }

    private static func storeReceivedProbe(
        _ probe: [UInt8]?,
        _ hash: [UInt8],
        _ peer: ProbePeer,
        _ tx: Transaction
    ) throws {
        try tx.db.insert(
            into: "received_probes",
            [
                "user_id": peer.userId, "contact_id": peer.columnValues.contactId,
                "group_member_id": peer.columnValues.memberId,
                "probe": probe, "probe_hash": hash, "created_at": tx.now.nanoseconds,
            ]
        )
        let (ofPeer, id) = peer.rowCondition
        try tx.db.execute(
            """
            DELETE FROM received_probes WHERE user_id = :user_id AND \(ofPeer)
              AND (created_at < :created_at OR received_probe_id <= (SELECT received_probe_id FROM received_probes
                WHERE user_id = :user_id AND \(ofPeer) ORDER BY received_probe_id DESC LIMIT 1 OFFSET :offset))
            """,
            [
                "user_id": peer.userId, "peer_id": id,
                "created_at": tx.now.adding(seconds: -lifetimeSeconds).nanoseconds, "offset": maxStoredProbesPerPeer,
            ]
        )
    }

    /// Merges two peers if their profiles match: `checked`, who has sent the hash of a probe, and `prober`, who has
    /// sent the probe. First sends a confirmation to `checked`.
    /// - Returns: the merged contact; nil if nothing was merged.
    private static func mergeIfSamePerson(
        _ checked: ProbePeer,
        _ prober: ProbePeer,
        _ probe: [UInt8],
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord? {
        guard !checked.isIncognito, !prober.isIncognito, checked.profile.isSamePerson(as: prober.profile),
            let connection = checked.connection
        else {
            return nil
        }
        func sendConfirmation() throws {
            try tx.enqueue(ChatMessage(event: .infoProbeOk(probe: Base64URL.encode(probe))), to: connection)
        }
        switch (checked, prober) {
        case (.contact(let one), .contact(let other)):
            guard one.contactId != other.contactId, prober.connection != nil else { return nil }
            try sendConfirmation()
            return try ContactMerging.mergeContacts(one, other, user, tx)
        case (.contact(let contact), .member(let member, let group)),
            (.member(let member, let group), .contact(let contact)):
            guard member.contactId == nil else { return nil }
            try sendConfirmation()
            return try MemberAssociation.associateMember(member, in: group, with: contact, user, tx)
        // Two members are never merged, even if they are the same person.
        case (.member, .member): return nil
        }
    }

    /// Handles the confirmation of a probe that the user has sent. The peer sends the confirmation if the sender of the
    /// probe and the sender of its hash have matching profiles.
    /// - Returns: the contact that is now linked to the member; nil if nothing was merged.
    static func handleConfirmation(
        _ text: String,
        by peer: ProbePeer,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord? {
        guard let probe = try? Base64URL.decode(text), !peer.isIncognito else { return nil }
        let (ofPeer, id) = peer.rowCondition
        let row = try tx.db.firstRow(
            """
            SELECT s.contact_id, s.group_member_id FROM sent_probe_hashes h JOIN sent_probes s USING (sent_probe_id)
            WHERE h.\(ofPeer) AND s.probe = :probe AND s.user_id = :user_id LIMIT 1
            """,
            ["peer_id": id, "probe": probe, "user_id": user.userId]
        )
        guard let row, let probed = try ProbePeer.find(row, user: user, in: tx.db), !probed.isIncognito else {
            return nil
        }
        switch (peer, probed) {
        case (.contact(let contact), .member(let member, let group)),
            (.member(let member, let group), .contact(let contact)):
            guard member.contactId == nil else { return nil }
            return try MemberAssociation.associateMember(member, in: group, with: contact, user, tx)
        case (.contact, .contact), (.member, .member): return nil
        }
    }
}

extension Profile {
    /// Whether both profiles have the same name, description and picture. People recognize each other by these parts.
    fileprivate func isSamePerson(as other: Profile) -> Bool {
        displayName == other.displayName && fullName == other.fullName && shortDescr == other.shortDescr
            && image == other.image
    }
}
