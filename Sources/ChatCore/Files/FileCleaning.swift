internal import SQLCipher

extension ChatFiles {
    /// Number of files that one transaction handles.
    private static let batch: Int64 = 500

    /// Deletes the contents of all files that are completely sent or received, and of all files in notes. Their messages
    /// stay. Files of running transfers, and uploads that no message has yet, stay too.
    ///
    /// The files are removed from the disk and from the object storage after the commit, as after the deletion of a
    /// message.
    /// - Returns: the number of deleted files.
    public func deleteAll() async throws -> Int64 {
        var (count, last) = (Int64(0), Int64(0))
        while true {
            let begin = last
            let ids = try await store.write { tx in
                let ids = try tx.db.query(Self.finished, [begin, Self.batch]).map { try $0.int64("file_id") }
                for id in ids {
                    try tx.db.execute(
                        "INSERT INTO retired_files (file_path, is_sent) SELECT file_path, is_sent FROM files WHERE file_id = ?",
                        [id]
                    )
                    try tx.db.execute(
                        "UPDATE files SET file_path = NULL, path_seal = NULL, file_key = NULL, file_nonce = NULL WHERE file_id = ?",
                        [id]
                    )
                }
                if !ids.isEmpty { tx.followUp.insert(.files) }
                return ids
            }
            guard let end = ids.last else { return count }
            (count, last) = (count + Int64(ids.count), end)
        }
    }

    private static let finished = """
        SELECT file_id FROM files
        WHERE file_id > ? AND file_path IS NOT NULL AND task = 0
          AND CASE is_sent WHEN 1 THEN agent_file_id IS NULL OR agent_done = 1 ELSE transfer_status = 'complete' END
        ORDER BY file_id LIMIT ?
        """
}
