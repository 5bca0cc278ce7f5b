internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Files
internal import SQLCipher
internal import XFTP

/// Removes the remains of files that are no longer used.
extension FileWorker {
    private struct RetiredFile: Sendable {
        let id: Int64
        let agentID: FileID?
        let isSent: Bool
        let senderDescription: String?
        let agentUserId: Int64?
    }

    /// Whether remains of deleted files or of expired uploads have to be removed. Blocks the thread.
    static func haveLeftoverFiles(in folders: LocalFolders.Paths, _ db: StoreConnection) throws -> Bool {
        try db.hasRow("SELECT 1 FROM retired_files") || Uploads.hasExpiredUploads(in: db)
            || PartialUploads.haveLeftoverFiles(in: folders.uploadsFolder, db)
    }

    func removeLeftoverFiles() async throws {
        let paths = folders.paths
        guard try await store.read({ try Self.haveLeftoverFiles(in: paths, $0) }) else { return }
        try await PartialUploads.removeExpiredUploads(store, paths, uploads)
        if try await store.read({ try Uploads.hasExpiredUploads(in: $0) }) {
            try await store.write { tx in try Uploads.deleteExpiredUploads(tx) }
        }
        while true {
            let all = try await store.read { db in
                try db.query(
                    """
                    SELECT retired_id, agent_file_id, is_sent, sender_descr, agent_user_id FROM retired_files ORDER BY retired_id LIMIT 100
                    """
                ).map { row in
                    RetiredFile(
                        id: try row.int64("retired_id"),
                        agentID: try row.stringOrNil("agent_file_id").flatMap { FileID(text: $0) },
                        isSent: try row.bool("is_sent"),
                        senderDescription: try row.stringOrNil("sender_descr"),
                        agentUserId: try row.int64OrNil("agent_user_id")
                    )
                }
            }
            guard !all.isEmpty else { return }
            for retired in all { try await removeRetiredFile(retired) }
        }
    }

    private func removeRetiredFile(_ retired: RetiredFile) async throws {
        if let id = retired.agentID {
            if retired.isSent { try await agent.cancelSentFile(id) } else { try await agent.cancelReceivedFile(id) }
        }
        if let text = retired.senderDescription, let user = retired.agentUserId,
            let description = try? FileDescription(parsing: text),
            description.party == .sender
        {
            try await agent.deleteSentFile(user: user, description)
        }
        let paths = folders.paths
        // One transaction checks the path and removes the file, since a new message may use the path again.
        try await store.write { tx in
            if let path = try tx.db.queryFirst(Self.unusedPathQuery, [retired.id])?.stringOrNil("file_path") {
                Self.deleteFile(path, paths)
                try StoredObject.retireObject(path, tx)
            }
            try tx.db.execute("DELETE FROM retired_files WHERE retired_id = ?", [retired.id])
        }
    }

    private static let unusedPathQuery = """
        SELECT r.file_path FROM retired_files r WHERE r.retired_id = ? AND r.file_path IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM files f WHERE f.file_path = r.file_path)
          AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.file_path = r.file_path)
        """

    /// Deletes a file in the folder for files. A file at another path stays, because it does not belong to the store.
    static func deleteFile(_ path: String, _ folders: LocalFolders.Paths) {
        StoreFile(StoredPath(path), in: FileRoots(files: folders.filesFolder)).removeFile()
    }
}

extension Uploads {
    /// The SQL condition for expired uploads. Uploads for messages that wait to be sent later do not expire.
    private static let expiredCondition = """
        created_at < ? AND NOT EXISTS (SELECT 1 FROM planned_messages m
        WHERE m.planned_id = uploads.planned_id AND m.finished_at IS NULL)
        """

    static func hasExpiredUploads(in db: StoreConnection) throws -> Bool {
        try db.queryFirst(
            "SELECT 1 FROM uploads WHERE \(expiredCondition) LIMIT 1",
            [Timestamp.now.adding(seconds: -lifetimeSeconds).nanoseconds]
        ) != nil
    }

    /// Deletes files that no message has used within ``lifetimeSeconds``.
    static func deleteExpiredUploads(_ tx: Transaction) throws {
        let limit = tx.now.adding(seconds: -lifetimeSeconds).nanoseconds
        try tx.db.execute(
            "INSERT INTO retired_files (file_path, is_sent) SELECT file_path, 1 FROM uploads WHERE \(expiredCondition)",
            [limit]
        )
        try tx.db.execute("DELETE FROM uploads WHERE \(expiredCondition)", [limit])
    }
}
