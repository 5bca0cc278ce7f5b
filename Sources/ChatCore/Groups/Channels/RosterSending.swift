internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Sends the roster of a channel for a user who is an owner. The roster is the list of the members who may write,
/// except the owners. A change of these members makes a new version of the roster. The relays receive this version
/// before they receive and forward the change.
enum RosterSending {
    /// The maximum size of one chunk of the sent roster, in bytes.
    private static let chunkSize = 15_780

    /// Sends a new version of the roster that includes a change of members, before the change itself is made.
    /// - Parameters:
    ///   - members: the members to change.
    ///   - role: the new role of the members; nil for a removal.
    /// - Returns: the new version; nil when the change does not affect the roster.
    /// - Throws: `commandError` when a member has no key, when the roster would be too long, or when no higher version
    ///   exists.
    static func sendChangedRoster(
        _ members: [MemberRecord],
        to role: GroupMemberRole?,
        in group: inout GroupRecord,
        _ tx: Transaction
    ) throws -> Int64? {
        guard group.isChannel, group.membership.role == .owner,
            role.map(Roster.listedRoles.contains) ?? false && !members.isEmpty
                || members.contains(where: { Roster.listedRoles.contains($0.role) })
        else { return nil }
        let concerned = Set(members.map(\.memberId))
        var entries = try findRosterMembers(in: group, tx).filter { !concerned.contains($0.memberId) }
        if let role, Roster.listedRoles.contains(role) {
            guard members.allSatisfy({ $0.signatureKey != nil }) else {
                throw ChatFailure.commandError("a member without a key cannot be in the roster of the channel")
            }
            entries += members.map { member in
                var member = member
                member.role = role
                return member
            }
        }
        guard entries.count <= Roster.entryLimit else {
            throw ChatFailure.commandError(
                "the roster holds at most \(Roster.entryLimit) members, moderators and admins"
            )
        }
        return try sendEntriesAsNextVersion(entries, in: &group, tx)
    }

    /// Sends the unchanged roster as a new version, and returns this version.
    /// - Throws: `commandError` when no higher version exists.
    static func sendRosterAsNewVersion(in group: inout GroupRecord, _ tx: Transaction) throws -> Int64 {
        try sendEntriesAsNextVersion(findRosterMembers(in: group, tx), in: &group, tx)
    }

    static func hasNextRosterVersion(_ group: GroupRecord) -> Bool {
        group.channel?.rosterVersion ?? 0 < Roster.maxRosterVersion
    }

    private static func sendEntriesAsNextVersion(
        _ entries: [MemberRecord],
        in group: inout GroupRecord,
        _ tx: Transaction
    ) throws -> Int64 {
        // Members refuse versions above the highest allowed version, in rosters and in changes of members.
        guard hasNextRosterVersion(group) else {
            throw ChatFailure.commandError("the roster of the channel has reached its last version")
        }
        let version = group.channel?.rosterVersion.map { $0 + 1 } ?? 0
        try setRosterVersion(version, of: &group, tx)
        try sendRoster(
            Roster(entries.compactMap(\.rosterEntry)),
            version,
            to: GroupRelayRecord.findRosterRelayConnections(of: group, tx.db),
            in: group,
            tx
        )
        return version
    }

    /// Sends the current roster to new relays.
    static func sendRoster(to connections: [ConnectionRecord], in group: inout GroupRecord, _ tx: Transaction) throws {
        if group.channel?.rosterVersion == nil { try setRosterVersion(0, of: &group, tx) }
        let roster = Roster(try findRosterMembers(in: group, tx).compactMap(\.rosterEntry))
        try sendRoster(roster, group.channel?.rosterVersion ?? 0, to: connections, in: group, tx)
    }

    private static func findRosterMembers(in group: GroupRecord, _ tx: Transaction) throws -> [MemberRecord] {
        let rows = try tx.db.query(
            """
            SELECT group_member_id FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id AND member_role IN ('member', 'moderator', 'admin')
            """,
            ["user_id": group.userId, "group_id": group.groupId]
        )
        return try MemberRecord.findAll(
            Set(rows.map { try $0.int64("group_member_id") }),
            user: group.userId,
            in: tx.db
        )
        .values
        .filter { !$0.status.isRemoved && $0.signatureKey != nil }.sorted { $0.memberId < $1.memberId }
    }

    private static func setRosterVersion(_ version: Int64, of group: inout GroupRecord, _ tx: Transaction) throws {
        group.channel?.rosterVersion = version
        group.channel?.completeRosterVersion = version
        try tx.db.execute(
            """
            UPDATE groups SET roster_version = :roster_version, complete_roster_version = :roster_version,
            own_roster_version = :roster_version WHERE user_id = :user_id AND group_id = :group_id
            """,
            ["roster_version": version, "user_id": group.userId, "group_id": group.groupId]
        )
    }

    private static func sendRoster(
        _ roster: Roster,
        _ version: Int64,
        to connections: [ConnectionRecord],
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard !connections.isEmpty else { return }
        let (bytes, id) = (roster.encoded, SharedMessageID.random())
        let header = ChatMessage(sharedID: id, event: .relay(.roster(RosterHeader(version: version, of: bytes))))
        try tx.enqueue([OutgoingChatMessage(header, over: connections, signer: group.signer)], to: connections)
        for (index, chunk) in bytes.chunks(of: chunkSize).enumerated() {
            guard let number = UInt8(exactly: index + 1) else { return }
            let body = InlineFileChunk(messageID: id, chunkNumber: number, bytes: Array(chunk)).element
            let bodyId = try MessageBodies.store(body, deliveries: connections.count, in: tx.db)
            for connection in connections {
                try tx.enqueueBody(body, bodyId, notifiesReceiver: false, item: nil, to: connection)
            }
        }
    }
}

extension MemberRecord {
    fileprivate var rosterEntry: Roster.Entry? {
        signatureKey.map { Roster.Entry(id: sharedID, key: MemberKey($0), role: role) }
    }
}

extension GroupRelayRecord {
    /// Returns the connections to those relays of a channel that are connected and keep rosters. A relay that is not
    /// connected yet receives the roster when it connects.
    static func findRosterRelayConnections(of group: GroupRecord, _ db: StoreConnection) throws -> [ConnectionRecord] {
        let rows = try db.query(
            """
            SELECT group_member_id FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id AND relay_link IS NOT NULL
            """,
            ["user_id": group.userId, "group_id": group.groupId]
        )
        return try MemberRecord.findAll(Set(rows.map { try $0.int64("group_member_id") }), user: group.userId, in: db)
            .values
            .filter { $0.isRelay && $0.status == .connected && $0.isReachable && keepsRoster($0) }.sorted {
                $0.memberId < $1.memberId
            }
            .compactMap(\.connection)
    }
}
