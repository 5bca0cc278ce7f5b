internal import ChatAPI
internal import ChatStore
internal import ChatText
internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto
internal import SQLCipher

/// The database table of uploads that can be resumed.
enum PartialUploads {
    /// The maximum number of uploads that a user may have.
    static let maxUploadsPerUser: Int64 = 100
    /// Number of seconds for which an upload waits for its next part.
    static let lifetimeSeconds: Int64 = 86_400

    static func insert(_ upload: Upload, _ tx: Transaction) throws {
        let count =
            try tx.db.queryFirst("SELECT count(*) AS count FROM partial_uploads WHERE user_id = ?", [upload.userId])?
            .int64(
                "count"
            ) ?? 0
        guard count < maxUploadsPerUser else {
            throw ChatFailure.commandError("a profile can have at most \(maxUploadsPerUser) unfinished uploads")
        }
        try tx.db.insert(
            into: "partial_uploads",
            [
                "upload_id": upload.id, "user_id": upload.userId, "key_id": upload.keyId, "file_name": upload.name,
                "file_key": upload.arguments?.fileKeyText, "file_nonce": upload.arguments?.fileNonceText,
                "file_size": upload.announcedLength, "updated_at": tx.now.nanoseconds,
            ]
        )
    }

    /// Returns a resumable upload of a user; nil if it does not exist.
    /// - Parameter keyId: the API key that must have begun the upload; nil for any key.
    static func find(
        _ id: String,
        user userId: Int64,
        key keyId: String? = nil,
        in folder: String,
        _ db: StoreConnection
    ) throws -> Upload? {
        // The id and the name become parts of paths, so the name must not lead to another folder.
        guard FilePaths.isName(id),
            let row = try db.firstRow(
                "SELECT * FROM partial_uploads WHERE upload_id = :upload_id AND user_id = :user_id",
                ["upload_id": id, "user_id": userId]
            )
        else { return nil }
        let owner = try row.stringOrNil("key_id")
        guard keyId == nil || keyId == owner else { return nil }
        var arguments: CryptoFileArguments?
        if let key = try row.stringOrNil("file_key"), let nonce = try row.stringOrNil("file_nonce") {
            arguments = try CryptoFileArguments(fileKeyText: key, fileNonceText: nonce)
        }
        return Upload(
            id: id,
            user: userId,
            key: owner,
            name: FileName.safeName(try row.string("file_name")),
            arguments,
            in: folder,
            length: try row.int64OrNil("file_size"),
            isResumable: true
        )
    }

    static func postponeExpiry(_ id: String, _ tx: Transaction) throws {
        try tx.db.update("partial_uploads", set: ["updated_at": tx.now.nanoseconds], where: ["upload_id": id])
    }

    static func remove(_ id: String, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM partial_uploads WHERE upload_id = ?", [id])
    }

    /// Whether there may be files to remove: uploads have expired, or the folder for uploads contains files. Blocks the
    /// thread.
    static func haveLeftoverFiles(in folder: String, _ db: StoreConnection) throws -> Bool {
        let limit = Timestamp.now.adding(seconds: -lifetimeSeconds).nanoseconds
        return try db.hasRow("SELECT 1 FROM partial_uploads WHERE updated_at < ?", limit)
            || !DiskFiles.listEntries(folder).isEmpty
    }

    /// Removes uploads that have received no part for ``lifetimeSeconds``. Also removes files without a row in the
    /// table, which remain if the process ends during an upload.
    static func removeExpiredUploads(
        _ store: ChatStore,
        _ folders: LocalFolders.Paths,
        _ underway: UploadsUnderway
    ) async throws {
        let limit = Timestamp.now.adding(seconds: -lifetimeSeconds).nanoseconds
        let old = try await store.read { db in
            try db.queryFirst("SELECT 1 FROM partial_uploads WHERE updated_at < ? LIMIT 1", [limit]) != nil
        }
        if old {
            try await store.write { tx in try tx.db.execute("DELETE FROM partial_uploads WHERE updated_at < ?", [limit])
            }
        }
        let present = try await runBlocking { DiskFiles.listEntries(folders.uploadsFolder) }
        guard !present.isEmpty else { return }
        let known = try await store.read { db in
            Set(try db.query("SELECT upload_id FROM partial_uploads", []).map { try $0.string("upload_id") })
        }
        // A new upload may be recorded after the table was read. The set of uploads in use is read after the table, so
        // the set contains this new upload.
        let gone = present.filter { !known.contains($0) }
        let busy = underway.knownUploadIds
        let uploads = folders.uploadsFolder
        try await runBlocking {
            for name in gone where !busy.contains(name) { DiskFiles.removeFile(uploads + "/" + name) }
        }
    }
}
