internal import ChatStore
internal import SQLCipher

/// Files on disk that belong to no message yet.
enum Uploads {
    /// Number of seconds after which a file without a message is deleted.
    static let lifetimeSeconds: Int64 = 86_400

    /// Records a file on the disk that no message uses yet.
    /// - Parameter shown: the name that recipients see; nil for the name on the disk.
    static func add(_ name: String, shown: String? = nil, user userId: Int64, _ tx: Transaction) throws {
        try tx.db.execute(
            "INSERT OR REPLACE INTO uploads (file_path, user_id, created_at, file_name) VALUES (?, ?, ?, ?)",
            [name, userId, tx.now.nanoseconds, shown]
        )
    }
}
