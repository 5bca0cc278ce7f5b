internal import SQLCipher

/// Users that are shown only with their password.
enum HiddenUsers {
    /// Returns the ids of hidden users that are not active.
    static func findInactiveIds(in db: StoreConnection) throws -> Set<Int64> {
        Set(
            try db.query("SELECT user_id FROM users WHERE view_pwd_hash IS NOT NULL AND active_user = 0").map {
                try $0.int64("user_id")
            }
        )
    }
}
