internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Receives the roster of a channel, which lists the members who may write, except the owners. A subscriber receives
/// the roster from a relay, and a relay receives it from an owner. First comes a header that an owner has signed, and
/// then the list in chunks.
enum ChannelRosters {
    /// Starts to receive a roster. An incomplete roster from the same sender is dropped.
    /// - Parameter relay: the sender of the chunks: a relay, or the owner if the user is a relay.
    static func beginTransfer(
        _ header: RosterHeader,
        _ id: SharedMessageID,
        by owner: MemberRecord,
        from relay: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        // An older roster would undo later changes.
        guard header.version >= group.channel?.rosterVersion ?? 0 else { return }
        try tx.db.insert(
            into: "roster_transfers",
            or: .replace,
            [
                "user_id": group.userId, "group_member_id": relay.memberId, "shared_msg_id": id.bytes,
                "author_member_id": owner.memberId, "roster_version": header.version, "size": header.size,
                "digest": header.digest, "next_chunk": 1, "bytes": [UInt8](),
            ]
        )
    }

    /// The result of handling a received chunk of a roster.
    enum ChunkResult {
        /// The chunk does not belong to a roster that the user is receiving from the sender.
        case unknown
        /// The chunk is stored, and more chunks follow.
        case kept
        /// The chunk was the last chunk, and its roster is now the roster of the channel.
        case applied
        /// The roster of the chunk is dropped: it differs from the roster that the owner has signed, or is older than
        /// the present roster of the channel.
        case refused
    }

    static func addChunk(
        _ chunk: InlineFileChunk,
        from relay: MemberRecord,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChunkResult {
        guard
            let row = try tx.db.firstRow(
                "SELECT * FROM roster_transfers WHERE user_id = :user_id AND group_member_id = :group_member_id",
                ["user_id": user.userId, "group_member_id": relay.memberId]
            ),
            try row.blob("shared_msg_id") == chunk.messageID.bytes
        else { return .unknown }
        let bytes = try row.blob("bytes") + chunk.bytes
        let size = try row.int64("size")
        let isInOrder = try chunk.chunkNumber.map(Int64.init) == row.int64("next_chunk") && Int64(bytes.count) <= size
        if isInOrder, Int64(bytes.count) < size, chunk.chunkNumber != .max {
            try tx.db.execute(
                """
                UPDATE roster_transfers SET next_chunk = next_chunk + 1, bytes = :bytes
                WHERE user_id = :user_id AND group_member_id = :group_member_id
                """,
                ["bytes": bytes, "user_id": user.userId, "group_member_id": relay.memberId]
            )
            return .kept
        }
        let header = try RosterHeader(version: row.int64("roster_version"), size: size, digest: row.blob("digest"))
        let ownerId = try row.int64("author_member_id")
        try tx.db.delete(from: "roster_transfers", where: ["user_id": user.userId, "group_member_id": relay.memberId])
        guard isInOrder, header.matches(bytes), let roster = try? Roster(bytes),
            let owner = try MemberRecord.find(ownerId, user: user.userId, in: tx.db),
            owner.role == .owner, header.version >= group.channel?.rosterVersion ?? 0
        else { return .refused }
        let changes = try applyRoster(roster, version: header.version, in: group, user, tx)
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        for change in changes { try reportRoleChange(change, by: owner, in: &group, user, tx) }
        return .applied
    }

    /// A change of the role of a known member.
    private struct RoleChange {
        let memberId: Int64
        let previousRole: GroupMemberRole
    }

    private static func reportRoleChange(
        _ change: RoleChange,
        by owner: MemberRecord,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let member = try MemberRecord.get(change.memberId, in: group, tx.db)
        let info = group
        if change.memberId == group.membership.memberId {
            let mark = GroupReceiver.ItemProperties(receivedAt: tx.now, signatureStatus: .verified)
            try GroupItems.writeEventItem(.userRole(role: member.role), by: owner, mark, in: &group, user, tx)
        }
        try tx.emit(
            .memberRole(
                user: user.api,
                groupInfo: info.api(user),
                byMember: owner.api,
                member: member.api(user),
                fromRole: change.previousRole,
                toRole: member.role,
                msgSigned: .verified
            ),
            user: user.userId
        )
    }

    /// Stores the roles and keys of a roster. Members who are no longer in the roster become observers.
    /// - Returns: the changed roles of known members.
    private static func applyRoster(
        _ roster: Roster,
        version: Int64,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [RoleChange] {
        var changes: [RoleChange] = []
        let listed = Dictionary(roster.entries.map { ($0.id, $0) }) { first, _ in first }
        let before = try tx.db.query(
            """
            SELECT group_member_id FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id AND member_role IN ('member', 'moderator', 'admin')
            """,
            ["user_id": group.userId, "group_id": group.groupId]
        ).map { try $0.int64("group_member_id") }
        for var member in try MemberRecord.findAll(Set(before), user: user.userId, in: tx.db).values
        where listed[member.sharedID] == nil {
            changes.append(RoleChange(memberId: member.memberId, previousRole: member.role))
            try member.setRole(.observer, tx)
        }
        for entry in roster.entries {
            if entry.id == group.membership.sharedID {
                // An entry with the user's id, but with another key, does not mean the user.
                guard group.channel?.memberKey?.publicKey == entry.key.key else { continue }
                var own = group.membership
                guard own.role < .owner, own.role != entry.role else { continue }
                changes.append(RoleChange(memberId: own.memberId, previousRole: own.role))
                try own.setRole(entry.role, tx)
            } else if var member = try MemberRecord.find(entry.id, in: group, tx.db) {
                // An entry is ignored if its key differs from the known key of the member, or if the member is a relay,
                // an owner or removed.
                guard member.signatureKey == nil || member.signatureKey == entry.key.key, !member.isRelay,
                    member.role != .owner,
                    !member.status.isRemoved
                else { continue }
                try member.storeSignatureKey(entry.key.key, tx)
                guard member.role != entry.role else { continue }
                changes.append(RoleChange(memberId: member.memberId, previousRole: member.role))
                try member.setRole(entry.role, tx)
            } else if try !RemovedMembers.contains(entry.id, in: group, tx.db) {
                _ = try createMember(entry.id, entry.role, entry.key, in: group, user, tx)
            }
        }
        try tx.db.update(
            "groups",
            set: ["roster_version": version, "complete_roster_version": version],
            where: ["user_id": group.userId, "group_id": group.groupId]
        )
        return changes
    }

    /// Creates a member whose key an owner has stated, and whose name is not known yet.
    static func createMember(
        _ id: MemberID,
        _ role: GroupMemberRole,
        _ key: MemberKey,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> MemberRecord {
        var member = try MemberRecord.create(
            NewMember(
                id: id,
                role: role,
                category: .pre,
                status: .unknown,
                profileId: 0,
                localDisplayName: "",
                versions: .initial
            ),
            profile: Profile(displayName: String(id.text.prefix(7)), fullName: ""),
            in: group.groupId,
            user,
            tx
        )
        try member.storeSignatureKey(key.key, tx)
        return member
    }

    /// Stores the roster version of a change of one member. When earlier changes are missing, requests the whole roster
    /// from the relay.
    /// - Returns: false for a change that is older than the roster.
    static func storeNextRosterVersion(
        to version: Int64?,
        in group: inout GroupRecord,
        from relay: MemberRecord,
        _ tx: Transaction
    ) throws -> Bool {
        guard let version else { return true }
        guard version >= group.channel?.rosterVersion ?? 0 else { return false }
        let complete = group.channel?.completeRosterVersion
        let isNext = version <= (complete ?? -1) + 1
        group.channel?.rosterVersion = version
        if isNext { group.channel?.completeRosterVersion = version }
        try tx.db.update(
            "groups",
            set: ["roster_version": version, "complete_roster_version": group.channel?.completeRosterVersion],
            where: ["user_id": group.userId, "group_id": group.groupId]
        )
        // A user who serves the channel as a relay does not ask for the roster, since the owner sends the roster before
        // the changes.
        if !isNext, relay.isRelay, relay.isReachable, relay.supportsChatVersion(ChatVersionRange.rostersVersion),
            let connection = relay.connection
        {
            try tx.enqueue(
                ChatMessage(sharedID: .random(), event: .relay(.rosterRequest(version: complete))),
                to: connection
            )
        }
        return true
    }
}
