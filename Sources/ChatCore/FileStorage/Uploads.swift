internal import ChatStore
internal import SQLCipher

/// Files on disk that belong to no message yet.
enum Uploads {
    /// Number of seconds after which a file without a message is deleted.
    static let lifetimeSeconds: Int64 = 86_400

    /// Records a file on the disk that no message uses yet.
    /// - Parameter shown: the name that recipients see; nil for the name on the disk.
    static func add(_ name: String, shown: String? = nil, user userId: Int64, _ tx: Transaction) throws {
        try tx.db.insert(
            into: "uploads",
            or: .replace,
            ["file_path": name, "user_id": userId, "created_at": tx.now.nanoseconds, "file_name": shown]
        )
    }
}
