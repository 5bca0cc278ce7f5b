internal import ChatAPI
internal import ChatStore
internal import Files
internal import SQLCipher

/// The uploaded files of planned messages, which are scheduled messages and broadcasts.
///
/// A planned message holds its uploads, so they do not expire. When the content of the message is deleted, database
/// triggers end the hold, and retire the files. A retired file stays on the disk while another message uses it.
enum PlannedFiles {
    /// Checks that each file is a complete upload of the user, and that no other message has the file.
    /// - Parameter id: the planned message that gets the content; nil for a message that does not exist yet.
    /// - Returns: the sizes of the files in bytes, by their paths.
    /// - Throws: `fileNotFound`, `fileSize`, `quotaExceeded`, or `commandError` for a file that two messages have.
    @discardableResult
    static func checkFiles(
        _ content: PlannedContent,
        of id: Int64?,
        for caller: PlannedCaller,
        _ paths: LocalFolders.Paths,
        _ db: StoreConnection
    ) throws -> [String: Int64] {
        var sizes: [String: Int64] = [:]
        for source in content.files {
            let path = source.filePath
            guard sizes[path] == nil else { throw ChatFailure.commandError("two messages have the same file") }
            let isFree = try db.hasRow(
                """
                SELECT 1 FROM uploads
                WHERE file_path = :file_path AND user_id = :user_id AND coalesce(planned_id, :planned_id) IS :planned_id
                """,
                ["file_path": path, "user_id": caller.userId, "planned_id": id]
            )
            guard FilePaths.isName(path), isFree else {
                throw ChatFailure(ChatErrorType.fileNotFound(message: path))
            }
            sizes[path] = try OutgoingFile(source, paths).size
        }
        if !sizes.isEmpty { try checkCapacity(Array(sizes.values), beside: id, for: caller, db) }
        return sizes
    }

    /// Checks that further files for planned messages exceed neither the limit of the store nor the limit of the
    /// client's key.
    private static func checkCapacity(
        _ sizes: [Int64],
        beside id: Int64?,
        for caller: PlannedCaller,
        _ db: StoreConnection
    ) throws {
        let held = try db.firstRow(
            """
            SELECT count(*) AS files, coalesce(sum(u.planned_size), 0) AS bytes,
            coalesce(sum(m.key_id = :key_id), 0) AS own_files,
            coalesce(sum(CASE WHEN m.key_id = :key_id THEN u.planned_size END), 0) AS own_bytes
            FROM uploads u JOIN planned_messages m ON m.planned_id = u.planned_id WHERE u.planned_id IS NOT :planned_id
            """,
            ["key_id": caller.keyId, "planned_id": id]
        )
        func checkLimits(_ owner: String, _ prefix: String, _ limits: (files: Int64, bytes: Int64)) throws {
            let files: Int64 = try held?.readCount("\(prefix)files") ?? 0
            let bytes: Int64 = try held?.readCount("\(prefix)bytes") ?? 0
            func refuse(_ resource: String, _ limit: Int64, _ noun: String) -> ChatFailure {
                ChatFailure(
                    ChatErrorType.quotaExceeded(
                        resource: resource,
                        limit: limit,
                        message: "\(owner) can have at most \(limit) \(noun) that wait"
                    )
                )
            }
            guard files + Int64(sizes.count) <= limits.files else {
                throw refuse("plannedFiles", limits.files, "files")
            }
            guard bytes + sizes.reduce(0, +) <= limits.bytes else {
                throw refuse("plannedFileBytes", limits.bytes, "bytes of files")
            }
        }
        try checkLimits("the store", "", caller.fileLimits.storeLimits)
        if !caller.rights.scopes.contains(.admin) { try checkLimits("the key", "own_", caller.fileLimits.keyLimits) }
    }

    /// Holds the files of the new content of a planned message. Retires the files that only its earlier content has.
    /// - Throws: the errors of ``checkFiles(_:of:for:_:_:)``.
    static func holdFiles(
        _ content: PlannedContent,
        of id: Int64,
        for caller: PlannedCaller,
        _ paths: LocalFolders.Paths,
        _ tx: Transaction
    ) throws {
        let sizes = try checkFiles(content, of: id, for: caller, paths, tx.db)
        let held = try tx.db.query("SELECT file_path FROM uploads WHERE planned_id = ?", id)
        for path in try held.map({ try $0.string("file_path") }) where sizes[path] == nil {
            try tx.db.insert(into: "retired_files", ["file_path": path, "is_sent": 1])
            try tx.db.execute("DELETE FROM uploads WHERE file_path = ?", [path])
            tx.followUpWork.insert(.files)
        }
        for (path, size) in sizes {
            try tx.db.update("uploads", set: ["planned_id": id, "planned_size": size], where: ["file_path": path])
        }
    }

    /// Prepares the files for a receiver. The last receiver gets the uploads themselves. Every other receiver gets a
    /// copy of each file, and the copies must fit into the limits of the store.
    /// - Throws: `QuotaExceeded`.
    static func prepareFiles(forReceiver number: Int64, of id: Int64, _ tx: Transaction) throws {
        let held = try tx.db.queryFirst(
            "SELECT coalesce(sum(planned_size), 0) AS bytes FROM uploads WHERE planned_id = ? GROUP BY planned_id",
            [id]
        )
        guard let held else { return }
        let isLast = try !tx.db.hasRow(
            """
            SELECT 1 FROM planned_receivers
            WHERE planned_id = :planned_id AND state = 'waiting' AND receiver_no > :receiver_no
            """,
            ["planned_id": id, "receiver_no": number]
        )
        if isLast {
            try tx.db.execute("UPDATE uploads SET planned_id = NULL, planned_size = 0 WHERE planned_id = ?", [id])
        } else {
            try tx.quota.checkFile(of: held.readCount("bytes"), tx.db)
        }
    }
}

extension PlannedContent {
    var files: [CryptoFile] { messages.compactMap(\.fileSource) }
}
