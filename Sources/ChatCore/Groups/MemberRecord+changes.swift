internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// The values of a new member, who has no row in the database yet.
struct NewMember {
    var id: MemberID
    var role: GroupMemberRole
    var category: GroupMemberCategory
    var status: GroupMemberStatus
    /// The id of the contact who has invited the member; 0 if the user has invited the member; nil if unknown.
    var invitedByContactId: Int64?
    var invitedByMemberId: Int64?
    /// The id of the contact who is this member; nil if the member is not a contact of the user.
    var contactId: Int64?
    var profileId: Int64
    var incognitoProfileId: Int64?
    var localDisplayName: String
    var versions: ChatVersionRange
    var invitationURI: String?
    var isBlockedByAdmin = false
}

extension MemberRecord {
    /// Stores a new member. The member gets the next index in the group.
    static func create(
        _ new: NewMember,
        in groupId: Int64,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> MemberRecord {
        try tx.db.execute(
            "UPDATE users SET last_group_member_id = last_group_member_id + 1 WHERE user_id = ?",
            [user.userId]
        )
        let memberId =
            try tx.db.queryFirst("SELECT last_group_member_id AS id FROM users WHERE user_id = ?", [user.userId])?
            .int64(
                "id"
            ) ?? 1
        try tx.db.execute(
            """
            UPDATE groups SET next_index = next_index + 1, current_members = current_members + :added_current_members
            WHERE user_id = :user_id AND group_id = :group_id
            """,
            ["added_current_members": new.status.isCurrent ? 1 : 0, "user_id": user.userId, "group_id": groupId]
        )
        let index = try tx.db.firstRow(
            "SELECT next_index - 1 AS n FROM groups WHERE user_id = :user_id AND group_id = :group_id",
            ["user_id": user.userId, "group_id": groupId]
        )?.int64("n")
        try tx.db.insert(
            into: "group_members",
            [
                "user_id": user.userId, "group_member_id": memberId, "group_id": groupId,
                "index_in_group": index, "member_id": new.id.bytes, "member_role": new.role.rawValue,
                "member_category": new.category.rawValue, "member_status": new.status.rawValue,
                "blocked_by_admin": new.isBlockedByAdmin, "invited_by": new.invitedByContactId,
                "invited_by_member_id": new.invitedByMemberId, "local_display_name": new.localDisplayName,
                "contact_id": new.contactId, "contact_profile_id": new.profileId,
                "incognito_profile_id": new.incognitoProfileId, "peer_min_version": Int64(new.versions.minimum),
                "peer_max_version": Int64(new.versions.maximum), "invitation": new.invitationURI,
                "created_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds,
            ]
        )
        guard let created = try find(memberId, user: user.userId, in: tx.db) else {
            throw ChatFailure(StoreError.internalError(message: "member not created"))
        }
        return created
    }

    /// Stores a new member who is not a contact of the user, together with the member's profile.
    static func create(
        _ new: NewMember,
        profile: Profile,
        in groupId: Int64,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> MemberRecord {
        var new = new
        new.localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        new.profileId = try IncognitoProfile.store(profile, user, tx)
        return try create(new, in: groupId, user, tx)
    }

    mutating func setStatus(_ status: GroupMemberStatus, _ tx: Transaction) throws {
        let change = (status.isCurrent ? 1 : 0) - (self.status.isCurrent ? 1 : 0)
        self.status = status
        updatedAt = tx.now
        try setColumn("member_status", status.rawValue, tx)
        guard change != 0 else { return }
        try tx.db.execute(
            """
            UPDATE groups SET current_members = current_members + :added_current_members
            WHERE user_id = :user_id AND group_id = :group_id
            """,
            ["added_current_members": Int64(change), "user_id": userId, "group_id": groupId]
        )
    }

    mutating func setRole(_ role: GroupMemberRole, _ tx: Transaction) throws {
        self.role = role
        try tx.db.update(
            "group_members",
            set: ["member_role": role.rawValue],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }

    mutating func setBlockedByAdmin(_ isBlocked: Bool, _ tx: Transaction) throws {
        isBlockedByAdmin = isBlocked
        updatedAt = tx.now
        try setColumn("blocked_by_admin", isBlocked, tx)
    }

    mutating func setMustTellAdminOfConnection(_ mustTellAdminOfConnection: Bool, _ tx: Transaction) throws {
        self.mustTellAdminOfConnection = mustTellAdminOfConnection
        try tx.db.update(
            "group_members",
            set: ["untold": mustTellAdminOfConnection],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }

    mutating func setVersions(_ versions: ChatVersionRange, _ tx: Transaction) throws {
        guard self.versions != versions else { return }
        self.versions = versions
        try tx.db.update(
            "group_members",
            set: ["peer_min_version": Int64(versions.minimum), "peer_max_version": Int64(versions.maximum)],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }

    /// Emits an event about a changed profile, status or badge of the member.
    /// - Parameter before: the member before the change.
    func emitUpdate(from before: MemberRecord, in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        try tx.emit(
            .groupMemberUpdated(user: user.api, groupInfo: group.api(user), fromMember: before.api, toMember: api),
            user: user.userId
        )
    }

    /// Sets a column and the time of the update. Callers must use a literal as the name of the column, and never input.
    private func setColumn(_ column: String, _ value: Argument, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            UPDATE group_members SET \(column) = :value, updated_at = :updated_at
            WHERE user_id = :user_id AND group_member_id = :group_member_id
            """,
            ["value": value, "updated_at": tx.now.nanoseconds, "user_id": userId, "group_member_id": memberId]
        )
    }

    /// Whether a member whom the user has invited has confirmed the connection, but the connection is not ready yet.
    var isConnecting: Bool {
        guard category == .invitee, !isRelay, let connection else { return false }
        return connection.status == .requested || connection.status == .accepted
    }

    /// Ends the connection to the member.
    /// - Parameter afterDelivery: whether the connection ends only when the messages that were enqueued earlier are
    ///   sent.
    mutating func disconnect(afterDelivery: Bool, _ tx: Transaction) throws {
        for connection in try ConnectionRecord.all(of: self, in: tx.db) where connection.status != .deleted {
            try connection.setStatus(.deleted, at: tx.now, in: tx.db)
            try tx.requestDeletionInAgent(connection, afterDelivery ? .afterDelivery : .silent)
        }
        try MemberSteps.removeSteps(self, tx)
        try WaitingMessages.delete(self, tx)
    }

    /// Removes the member from the group. The row is kept if the member is the author of items, or receives the message
    /// about the removal later, when its connection is ready. The row of a relay is always deleted.
    func remove(_ tx: Transaction) throws {
        var member = self
        try member.deleteSupportChat(tx)
        let hasItems = try tx.db.firstRow(
            """
            SELECT 1 FROM chat_items
            WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
            AND author_member_id = :author_member_id
            UNION ALL SELECT 1 FROM chat_items
            WHERE user_id = :user_id AND support_group_id = :support_group_id
            AND author_member_id = :author_member_id LIMIT 1
            """,
            [
                "user_id": userId, "chat_type": ChatKey.Kind.group.rawValue, "chat_id": groupId,
                "author_member_id": memberId, "support_group_id": groupId,
            ]
        )
        try member.setStatus(.removed, tx)
        try RemovedMembers.add(self, tx)
        try tx.db.execute(
            """
            DELETE FROM group_introductions
            WHERE user_id = :user_id AND (new_member_id = :member_id OR to_member_id = :member_id)
            """,
            ["user_id": userId, "member_id": memberId]
        )
        // A relay writes no messages, and can join again under its name. So the items about the relay are deleted
        // together with the relay, as in the original.
        if isRelay, hasItems != nil {
            try tx.db.delete(
                from: "chat_items",
                where: [
                    "user_id": userId, "chat_type": ChatKey.Kind.group.rawValue, "chat_id": groupId,
                    "author_member_id": memberId,
                ]
            )
        }
        // The connection may have ended after this record was read, so the connections are read from the database.
        let awaitsRemoval =
            try isConnecting && ConnectionRecord.all(of: self, in: tx.db).contains { $0.status != .deleted }
        if isRelay || hasItems == nil && !awaitsRemoval { try delete(tx) }
    }

    /// Deletes the row of the member and its connections. Also deletes the name and the profile if no other member or
    /// contact uses them.
    func delete(_ tx: Transaction) throws {
        try tx.db.delete(from: "group_members", where: ["user_id": userId, "group_member_id": memberId])
        try deleteUnusedProfile(tx)
    }

    func deleteUnusedProfile(_ tx: Transaction) throws {
        guard contactId == nil, category != .user else { return }
        // A former contact may be a member of several groups, with the same profile and name in all of them.
        try tx.db.execute(
            """
            DELETE FROM contact_profiles WHERE contact_profile_id = :contact_profile_id
              AND NOT EXISTS (SELECT 1 FROM group_members WHERE contact_profile_id = :contact_profile_id)
              AND NOT EXISTS (SELECT 1 FROM contacts WHERE contact_profile_id = :contact_profile_id)
            """,
            ["contact_profile_id": contactProfileId]
        )
        if tx.db.changeCount > 0 { try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db) }
    }
}
