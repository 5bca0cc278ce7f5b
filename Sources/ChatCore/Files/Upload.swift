internal import ChatAPI
internal import ChatStore
internal import ChatText
internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto
internal import SQLCipher
import Synchronization

/// An upload of a file for a message. The bytes are written as they arrive, encrypted if the file is stored encrypted.
///
/// `@unchecked Sendable`: one request at a time gets the upload from ``UploadsUnderway``, and makes one call at a time.
/// Reading and writing block.
package final class Upload: @unchecked Sendable {
    package let id: String
    let userId: Int64
    /// The API key that has begun the upload; nil if it is unknown.
    let keyId: String?
    let name: String
    let arguments: CryptoFileArguments?
    let path: String
    /// Length in bytes, if the sender has announced the length.
    package let announcedLength: Int64?
    /// Whether another request can continue the upload.
    package let isResumable: Bool

    /// Number of received bytes.
    package private(set) var offset: Int64 = 0
    /// The maximum size of this upload in bytes, including the received bytes, and the limit of the store; nil without
    /// a limit.
    var sizeLimit: (bytes: Int64, limit: Int64)?
    private var cipherStream: SecretBoxStream?
    private var contentDigest: IncrementalDigest?
    /// Whether a write has failed. The file is then read again before the next write.
    private var hasFailedWrite = false

    init(
        id: String,
        user userId: Int64,
        key keyId: String? = nil,
        name: String,
        _ arguments: CryptoFileArguments?,
        in folder: String,
        length: Int64?,
        isResumable: Bool
    ) {
        self.id = id
        self.userId = userId
        self.keyId = keyId
        self.name = name
        self.arguments = arguments
        path = folder + "/" + id
        self.announcedLength = length
        self.isResumable = isResumable
    }

    private func resetCipherAndDigest() throws {
        cipherStream = arguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) }
        contentDigest = try IncrementalDigest(.sha256)
        offset = 0
        hasFailedWrite = false
    }

    func createFile() throws {
        try resetCipherAndDigest()
        _ = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Reads the existing bytes of the file again, so that writing can continue. This is necessary if another process
    /// has begun the file, or if the last write has failed.
    func restoreState() throws {
        try resetCipherAndDigest()
        let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        while true {
            let part = try file.read(upTo: 1 << 20)
            if part.isEmpty { return }
            try contentDigest?.update(cipherStream?.decrypt(part) ?? part)
            offset += Int64(part.count)
        }
    }

    /// Writes the next part.
    /// - Throws: `QuotaExceeded`, before any byte of the part is written.
    package func write(_ part: [UInt8]) throws {
        if let sizeLimit, offset + Int64(part.count) > sizeLimit.bytes {
            throw QuotaExceeded(resource: .fileBytes, limit: sizeLimit.limit)
        }
        if hasFailedWrite || contentDigest == nil { try restoreState() }
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        // The flag stays true until the whole part is written. Bytes of a failed write are read again, and are counted.
        hasFailedWrite = true
        try file.write(cipherStream?.encrypt(part) ?? part)
        try contentDigest?.update(part)
        offset += Int64(part.count)
        hasFailedWrite = false
    }

    /// Writes the received bytes through to the disk. After that the sender may delete them.
    package func sync() throws {
        if hasFailedWrite || contentDigest == nil { try restoreState() }
        try DiskFiles.syncEntry(path)
    }

    /// Returns the SHA-256 digest of the contents. Nothing can be written after this call.
    func finishDigest() throws -> [UInt8] {
        if hasFailedWrite || contentDigest == nil { try restoreState() }
        defer { contentDigest = nil }
        return try contentDigest?.finalize() ?? []
    }

    /// Completes the file and writes it through to the disk.
    func appendTagAndSync() throws {
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        if let cipherStream { try file.write(cipherStream.computeTag()) }
        try file.sync()
    }

    func remove() { DiskFiles.removeFile(path) }
}

/// Uploads that requests of this process have begun. Resumable uploads are kept here between requests, so that their
/// files need not be read again.
final class UploadsUnderway: Sendable {
    private struct State {
        var idleUploads: [String: Upload] = [:]
        /// For each upload in use, a function that ends the part that the request is receiving; nil if the request
        /// receives no part.
        var busyInterrupts: [String: (@Sendable () -> Void)?] = [:]
        /// Idle uploads in the order in which they became idle.
        var idleOrder: [String] = []
        /// The files whose tag was verified, with the version of each file at that time.
        var verifiedVersions: [Int64: String] = [:]
    }
    private let state = Mutex(State())
    private let releaseWaiters = CompletionWaiters<String>()
    /// The maximum number of idle uploads; each uses some kilobytes of memory.
    private static let maxIdleUploads = 256
    private let takeOverTimeout: Duration

    /// - Parameter patience: the time for which a request waits until another request releases the upload.
    init(patience: Duration = .seconds(10)) { self.takeOverTimeout = patience }

    /// Reserves an upload for one request.
    /// - Parameter interrupt: ends the part that the request is receiving; nil if it receives no part.
    /// - Returns: false if another request uses the upload; otherwise true, and the upload if this process knows it.
    func reserveUpload(_ id: String, interrupt: (@Sendable () -> Void)? = nil) -> (isFree: Bool, upload: Upload?) {
        state.withLock { state in
            guard state.busyInterrupts[id] == nil else { return (false, nil) }
            state.busyInterrupts[id] = .some(interrupt)
            state.idleOrder.removeAll { $0 == id }
            return (true, state.idleUploads.removeValue(forKey: id))
        }
    }

    /// Reserves an upload, and interrupts another request that uses the upload. A client that continues an upload has
    /// lost its earlier connection, even if this connection still looks open here.
    func takeOverUpload(_ id: String, interrupt: (@Sendable () -> Void)?) async -> (isFree: Bool, upload: Upload?) {
        let end = ContinuousClock.now + takeOverTimeout
        while true {
            let change = releaseWaiters.expectCompletion(id)
            let taken = reserveUpload(id, interrupt: interrupt)
            let left = end - .now
            guard !taken.isFree, left > .zero else { return taken }
            state.withLock { $0.busyInterrupts[id] ?? nil }?()
            await releaseWaiters.waitForCompletion(for: change, of: id, atMost: left)
        }
    }

    /// Releases an upload.
    /// - Parameter upload: the upload for the next request; nil if the upload has ended.
    func releaseUpload(_ id: String, _ upload: Upload?) {
        defer { releaseWaiters.reportCompletion(id) }
        state.withLock { state in
            state.busyInterrupts[id] = nil
            guard let upload else { return }
            state.idleUploads[id] = upload
            state.idleOrder.append(id)
            if state.idleOrder.count > Self.maxIdleUploads { state.idleUploads[state.idleOrder.removeFirst()] = nil }
        }
    }

    // MARK: Verified files

    func isTagVerified(_ fileId: Int64, _ version: String) -> Bool {
        state.withLock { $0.verifiedVersions[fileId] == version }
    }

    func recordVerifiedTag(_ fileId: Int64, _ version: String) {
        state.withLock { state in
            if state.verifiedVersions.count >= 1000 { state.verifiedVersions.removeAll() }
            state.verifiedVersions[fileId] = version
        }
    }

    var knownIds: Set<String> { state.withLock { Set($0.busyInterrupts.keys).union($0.idleUploads.keys) } }
}

/// The table of resumable uploads.
enum PartialUploads {
    /// The maximum number of uploads that a user may have.
    static let maxPerUser: Int64 = 100
    /// Number of seconds for which an upload waits for its next part.
    static let lifetimeSeconds: Int64 = 86_400

    static func insert(_ upload: Upload, _ tx: Transaction) throws {
        let count =
            try tx.db.queryFirst("SELECT count(*) AS count FROM partial_uploads WHERE user_id = ?", [upload.userId])?
            .int64(
                "count"
            ) ?? 0
        guard count < maxPerUser else {
            throw ChatFailure.commandError("a profile can have at most \(maxPerUser) unfinished uploads")
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
            let row = try db.queryFirst(
                "SELECT * FROM partial_uploads WHERE upload_id = ? AND user_id = ?",
                [id, userId]
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
        try tx.db.execute("UPDATE partial_uploads SET updated_at = ? WHERE upload_id = ?", [tx.now.nanoseconds, id])
    }

    static func remove(_ id: String, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM partial_uploads WHERE upload_id = ?", [id])
    }

    /// Whether uploads have expired, or files are in the folder, some of which may have no row in the table. Blocks the
    /// thread.
    static func haveRemains(in folder: String, _ db: StoreConnection) throws -> Bool {
        let limit = Timestamp.now.adding(seconds: -lifetimeSeconds).nanoseconds
        return try db.hasRow("SELECT 1 FROM partial_uploads WHERE updated_at < ?", limit)
            || !DiskFiles.listEntries(folder).isEmpty
    }

    /// Removes uploads that have received no part for ``lifetimeSeconds``. Also removes files without a row in the table,
    /// which remain if the process ends during an upload.
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
        // An upload may be recorded between both reads. The set of uploads in use is read second, so it contains such
        // an upload.
        let gone = present.filter { !known.contains($0) }
        let busy = underway.knownIds
        let uploads = folders.uploadsFolder
        try await runBlocking {
            for name in gone where !busy.contains(name) { DiskFiles.removeFile(uploads + "/" + name) }
        }
    }
}

extension LocalFolders.Paths {
    /// The folder of incomplete uploads.
    var uploadsFolder: String { temporaryFolder + "/uploads" }
}
