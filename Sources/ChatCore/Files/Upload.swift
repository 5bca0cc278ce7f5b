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
    package let length: Int64?
    /// Whether another request can continue the upload.
    package let isResumable: Bool

    /// Number of received bytes.
    package private(set) var offset: Int64 = 0
    /// The maximum size of this upload in bytes, including the received bytes, and the limit of the store; nil without
    /// a limit.
    var available: (bytes: Int64, limit: Int64)?
    private var box: SecretBoxStream?
    private var hash: IncrementalDigest?
    /// Whether a write has failed. The file is then read again before the next write.
    private var isTorn = false

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
        self.length = length
        self.isResumable = isResumable
    }

    private func restart() throws {
        box = arguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) }
        hash = try IncrementalDigest(.sha256)
        offset = 0
        isTorn = false
    }

    /// Creates the file.
    func create() throws {
        try restart()
        _ = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Reads the existing bytes of the file again, so that writing can continue. This is necessary if another process
    /// has begun the file, or if the last write has failed.
    func restore() throws {
        try restart()
        let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        while true {
            let part = try file.read(upTo: 1 << 20)
            if part.isEmpty { return }
            try hash?.update(box?.decrypt(part) ?? part)
            offset += Int64(part.count)
        }
    }

    /// Writes the next part.
    /// - Throws: `QuotaExceeded`, before any byte of the part is written.
    package func write(_ part: [UInt8]) throws {
        if let available, offset + Int64(part.count) > available.bytes {
            throw QuotaExceeded(resource: .fileBytes, limit: available.limit)
        }
        if isTorn || hash == nil { try restore() }
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        // The flag stays true until the whole part is written. Bytes of a failed write are read again, and are counted.
        isTorn = true
        try file.write(box?.encrypt(part) ?? part)
        try hash?.update(part)
        offset += Int64(part.count)
        isTorn = false
    }

    /// Writes the received bytes through to the disk. After that the sender may delete them.
    package func sync() throws {
        if isTorn || hash == nil { try restore() }
        try DiskFiles.sync(path)
    }

    /// Returns the SHA-256 digest of the contents. Nothing can be written after this call.
    func digest() throws -> [UInt8] {
        if isTorn || hash == nil { try restore() }
        defer { hash = nil }
        return try hash?.finalize() ?? []
    }

    /// Completes the file and writes it through to the disk.
    func seal() throws {
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        if let box { try file.write(box.tag()) }
        try file.sync()
    }

    func remove() { DiskFiles.removeFile(path) }
}

/// Uploads that requests of this process have begun. Resumable uploads are kept here between requests, so that their
/// files need not be read again.
final class UploadsUnderway: Sendable {
    private struct State {
        var idle: [String: Upload] = [:]
        /// For each upload in use, a function that ends the part that the request is receiving; nil if the request
        /// receives no part.
        var busy: [String: (@Sendable () -> Void)?] = [:]
        /// Idle uploads in the order in which they became idle.
        var order: [String] = []
        /// The files whose tag was verified, with the version of each file at that time.
        var verified: [Int64: String] = [:]
    }
    private let state = Mutex(State())
    private let givenBack = CompletionWaiters<String>()
    /// The maximum number of idle uploads; each uses some kilobytes of memory.
    private static let maxIdle = 256
    private let patience: Duration

    /// - Parameter patience: the time for which a request waits until another request releases the upload.
    init(patience: Duration = .seconds(10)) { self.patience = patience }

    /// Reserves an upload for one request.
    /// - Parameter interrupt: ends the part that the request is receiving; nil if it receives no part.
    /// - Returns: false if another request uses the upload; otherwise true, and the upload if this process knows it.
    func reserve(_ id: String, interrupt: (@Sendable () -> Void)? = nil) -> (isFree: Bool, upload: Upload?) {
        state.withLock { state in
            guard state.busy[id] == nil else { return (false, nil) }
            state.busy[id] = .some(interrupt)
            state.order.removeAll { $0 == id }
            return (true, state.idle.removeValue(forKey: id))
        }
    }

    /// Reserves an upload, and interrupts another request that uses the upload. A client that continues an upload has
    /// lost its earlier connection, even if this connection still looks open here.
    func takeOver(_ id: String, interrupt: (@Sendable () -> Void)?) async -> (isFree: Bool, upload: Upload?) {
        let end = ContinuousClock.now + patience
        while true {
            let change = givenBack.expect(id)
            let taken = reserve(id, interrupt: interrupt)
            let left = end - .now
            guard !taken.isFree, left > .zero else { return taken }
            state.withLock { $0.busy[id] ?? nil }?()
            await givenBack.wait(for: change, of: id, atMost: left)
        }
    }

    /// Releases an upload.
    /// - Parameter upload: the upload for the next request; nil if the upload has ended.
    func release(_ id: String, _ upload: Upload?) {
        defer { givenBack.complete(id) }
        state.withLock { state in
            state.busy[id] = nil
            guard let upload else { return }
            state.idle[id] = upload
            state.order.append(id)
            if state.order.count > Self.maxIdle { state.idle[state.order.removeFirst()] = nil }
        }
    }

    // MARK: Verified files

    func isVerified(_ fileId: Int64, _ version: String) -> Bool { state.withLock { $0.verified[fileId] == version } }

    func verified(_ fileId: Int64, _ version: String) {
        state.withLock { state in
            if state.verified.count >= 1000 { state.verified.removeAll() }
            state.verified[fileId] = version
        }
    }

    var all: Set<String> { state.withLock { Set($0.busy.keys).union($0.idle.keys) } }
}

/// The table of resumable uploads.
enum PartialUploads {
    /// The maximum number of uploads that a user may have.
    static let most: Int64 = 100
    /// Number of seconds for which an upload waits for its next part.
    static let lifetime: Int64 = 86_400

    static func insert(_ upload: Upload, _ tx: Transaction) throws {
        let count =
            try tx.db.first("SELECT count(*) AS count FROM partial_uploads WHERE user_id = ?", [upload.userId])?.int64(
                "count"
            ) ?? 0
        guard count < most else { throw ChatFailure.command("a profile can have at most \(most) unfinished uploads") }
        try tx.db.insert(
            into: "partial_uploads",
            [
                "upload_id": upload.id, "user_id": upload.userId, "key_id": upload.keyId, "file_name": upload.name,
                "file_key": upload.arguments?.fileKeyText, "file_nonce": upload.arguments?.fileNonceText,
                "file_size": upload.length, "updated_at": tx.now.nanoseconds,
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
            let row = try db.first("SELECT * FROM partial_uploads WHERE upload_id = ? AND user_id = ?", [id, userId])
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
            name: FileName.shown(try row.string("file_name")),
            arguments,
            in: folder,
            length: try row.int64OrNil("file_size"),
            isResumable: true
        )
    }

    static func touch(_ id: String, _ tx: Transaction) throws {
        try tx.db.execute("UPDATE partial_uploads SET updated_at = ? WHERE upload_id = ?", [tx.now.nanoseconds, id])
    }

    static func remove(_ id: String, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM partial_uploads WHERE upload_id = ?", [id])
    }

    /// Removes uploads that have received no part for ``lifetime``. Also removes files without a row in the table,
    /// which remain if the process ends during an upload.
    static func clear(_ store: ChatStore, _ folders: LocalFolders.Paths, _ underway: UploadsUnderway) async throws {
        let limit = Timestamp.now.adding(seconds: -lifetime).nanoseconds
        let old = try await store.read { db in
            try db.first("SELECT 1 FROM partial_uploads WHERE updated_at < ? LIMIT 1", [limit]) != nil
        }
        if old {
            try await store.write { tx in try tx.db.execute("DELETE FROM partial_uploads WHERE updated_at < ?", [limit])
            }
        }
        let present = try await blocking { DiskFiles.entries(folders.uploads) }
        guard !present.isEmpty else { return }
        let known = try await store.read { db in
            Set(try db.query("SELECT upload_id FROM partial_uploads", []).map { try $0.string("upload_id") })
        }
        // An upload may be recorded between both reads. The set of uploads in use is read second, so it contains such
        // an upload.
        let gone = present.filter { !known.contains($0) }
        let busy = underway.all
        let uploads = folders.uploads
        try await blocking {
            for name in gone where !busy.contains(name) { DiskFiles.removeFile(uploads + "/" + name) }
        }
    }
}

extension LocalFolders.Paths {
    /// The folder of incomplete uploads.
    var uploads: String { temporary + "/uploads" }
}
