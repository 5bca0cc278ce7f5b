internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Random profiles for single connections, so that peers cannot link connections of the same user.
enum IncognitoProfile {
    /// Creates an incognito profile, which has no preferences.
    /// - Returns: the id of the profile's row, and the profile in the form that the user sees.
    static func create(_ user: UserRecord, _ tx: Transaction) throws -> (id: Int64, profile: Profile) {
        let profile = makeRandomProfile()
        return (try store(profile, user, tx), profile)
    }

    static func makeRandomProfile() -> Profile { Profile(displayName: RandomName.make(), fullName: "") }

    static func store(_ profile: Profile, _ user: UserRecord, _ tx: Transaction) throws -> Int64 {
        let check = tx.checkBadge(profile.badge)
        try tx.db.insert(
            into: "contact_profiles",
            [
                "user_id": user.userId, "display_name": profile.displayName, "profile": try StoredJSON.encode(profile),
                "created_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds,
                "badge_status": check?.status.rawValue, "badge_changes_at": check?.statusChangesAt?.nanoseconds,
            ]
        )
        return tx.db.lastInsertRowID
    }

    static func find(_ profileId: Int64?, in db: StoreConnection) throws -> Profile? {
        guard let profileId else { return nil }
        return try db.queryFirst("SELECT profile FROM contact_profiles WHERE contact_profile_id = ?", [profileId]).map {
            try $0.profile("profile")
        }
    }

    /// Deletes an incognito profile when no connection and no group uses it.
    static func delete(_ profileId: Int64?, _ tx: Transaction) throws {
        guard let profileId,
            try tx.db.queryFirst("SELECT 1 FROM connections WHERE custom_user_profile_id = ? LIMIT 1", [profileId])
                == nil,
            try tx.db.queryFirst("SELECT 1 FROM group_members WHERE incognito_profile_id = ? LIMIT 1", [profileId])
                == nil
        else { return }
        try tx.db.execute("DELETE FROM contact_profiles WHERE contact_profile_id = ?", [profileId])
    }
}
