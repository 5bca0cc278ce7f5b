internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension ContactRecord {
    /// Creates a contact of the user, without a connection.
    /// - Returns: the contact's id.
    static func create(_ profile: Profile, alias: String, _ user: UserRecord, _ tx: Transaction) throws -> Int64 {
        var profile = profile
        profile.replaceUnshowableValues()
        let check = tx.checkBadge(profile.badge)
        let localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        try tx.db.insert(
            into: "contact_profiles",
            [
                "user_id": user.userId, "display_name": profile.displayName, "profile": try StoredJSON.encode(profile),
                "local_alias": alias, "created_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds,
                "badge_status": check?.status.rawValue, "badge_changes_at": check?.statusChangesAt?.nanoseconds,
            ]
        )
        let profileId = tx.db.lastInsertRowID
        let contactId = try reserveId(user, tx)
        try tx.db.insert(
            into: "contacts",
            [
                "user_id": user.userId, "contact_id": contactId, "contact_profile_id": profileId,
                "local_display_name": localDisplayName,
                "user_preferences": try StoredJSON.encode(Preferences(toward: profile, of: user)),
                "created_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds, "chat_ts": tx.now.nanoseconds,
            ]
        )
        return contactId
    }

    /// Reserves the id for the next contact of the user.
    static func reserveId(_ user: UserRecord, _ tx: Transaction) throws -> Int64 {
        try tx.db.execute("UPDATE users SET last_contact_id = last_contact_id + 1 WHERE user_id = ?", [user.userId])
        return try tx.db.queryFirst("SELECT last_contact_id FROM users WHERE user_id = ?", [user.userId])?.int64(
            "last_contact_id"
        ) ?? 1
    }
}

extension Preferences {
    /// Makes the user's initial preferences for a contact. If both profiles allow disappearing messages, the
    /// preferences have the longer time of the two profiles.
    init(toward profile: Profile, of user: UserRecord) {
        self.init()
        let own =
            user.profile.preferences?.preference(of: .timedMessages) ?? DirectFeature.timedMessages.defaultPreference
        guard own.allow != .no, let theirs = profile.preferences?.preference(of: .timedMessages), theirs.allow != .no,
            let ttl = [own.lifetimeSeconds, theirs.lifetimeSeconds].compactMap(\.self).max()
        else { return }
        timedMessages = TimedMessagesPreference(allow: own.allow, ttl: Int(clamping: ttl))
    }
}
