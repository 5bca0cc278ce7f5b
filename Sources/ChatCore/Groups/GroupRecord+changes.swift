internal import ChatAPI
internal import JSON
internal import SQLCipher

extension GroupRecord {
    /// A profile is sent to the members, so it has to fit into a message.
    /// - Throws: `largeMsg`.
    private static func checkSize(_ profile: GroupProfile) throws {
        var params = JSONObject()
        params["groupProfile"] = try JSONEncoder().encodeValue(profile)
        _ = try OutgoingChatMessage(ChatMessage(event: .other(tag: "x.grp.info", params: params)), over: [])
    }

    /// A new group of the user.
    /// - Throws: `largeMsg`.
    static func create(_ profile: GroupProfile, incognito: Bool, _ user: UserRecord, _ tx: Transaction) throws -> GroupRecord {
        try checkSize(profile)
        let localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        try tx.db.execute("UPDATE users SET last_group_id = last_group_id + 1 WHERE user_id = ?", [user.userId])
        let groupId = try tx.db.first("SELECT last_group_id AS id FROM users WHERE user_id = ?", [user.userId])?.int64("id") ?? 1
        try tx.db.execute(
            """
            INSERT INTO groups (user_id, group_id, local_display_name, profile, membership_id, next_index, member_profile_sent_at, created_at, updated_at, chat_ts)
            VALUES (?, ?, ?, ?, 0, 1, ?, ?, ?, ?)
            """,
            [
                user.userId, groupId, localDisplayName, try StoredJSON.encode(profile), tx.now.nanoseconds, tx.now.nanoseconds, tx.now.nanoseconds,
                tx.now.nanoseconds,
            ])
        let own = try incognito ? IncognitoProfile.create(user, tx) : nil
        let name = try own.map { try LocalDisplayNames.create($0.profile.displayName, user: user.userId, in: tx.db) }
        let memberId = try MemberRecord.createOwner(of: groupId, user, incognito: own.flatMap { own in name.map { (own.id, $0) } }, tx)
        try tx.db.execute("UPDATE groups SET membership_id = ? WHERE user_id = ? AND group_id = ?", [memberId, user.userId, groupId])
        return try get(groupId, user: user, in: tx.db)
    }

    /// Gives the group another profile; with another name it gets another local one.
    /// - Throws: `invalidDisplayName`, `largeMsg`.
    mutating func set(_ new: GroupProfile, _ tx: Transaction) throws {
        try Self.checkSize(new)
        if new.displayName != profile.displayName {
            try DisplayName.check(new.displayName)
            try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
            localDisplayName = try LocalDisplayNames.create(new.displayName, user: userId, in: tx.db)
            // Only another name changes the time, as with the original, and the answer still shows the one before.
            try tx.db.execute(
                "UPDATE groups SET local_display_name = ?, updated_at = ? WHERE user_id = ? AND group_id = ?",
                [localDisplayName, tx.now.nanoseconds, userId, groupId])
        }
        profile = new
        try tx.db.execute("UPDATE groups SET profile = ? WHERE user_id = ? AND group_id = ?", [try StoredJSON.encode(new), userId, groupId])
    }

    /// Deletes the group with its chat and its members.
    func delete(_ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM groups WHERE user_id = ? AND group_id = ?", [userId, groupId])
        try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
        if let incognito = membership.incognitoProfileId {
            try LocalDisplayNames.delete(membership.localDisplayName, user: userId, in: tx.db)
            try IncognitoProfile.delete(incognito, tx)
        }
        tx.redact(self)
    }
}
