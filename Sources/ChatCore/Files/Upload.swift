internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto
internal import SQLCipher
import Synchronization

/// Bytes that somebody uploads for a message: written to a file as they come, in the form in which it is kept.
///
/// `@unchecked Sendable`: whoever has taken it from ``UploadsUnderway`` uses it alone, for one thing at a time. What writes and reads blocks.
public final class Upload: @unchecked Sendable {
    public let id: String
    let userId: Int64
    let name: String
    let arguments: CryptoFileArguments?
    let path: String
    /// In bytes, if the sender has told it.
    public let length: Int64?
    /// Whether it can be continued by another request.
    public let isResumable: Bool

    /// Bytes that have come.
    public private(set) var offset: Int64 = 0
    /// Bytes for which there is room in the store, these included; nil for any number.
    var room: (bytes: Int64, limit: Int64)?
    private var box: SecretBoxStream?
    private var hash: IncrementalDigest?
    /// Set when a write has failed in the middle: then the file has to be looked at again.
    private var isTorn = false

    init(id: String, user userId: Int64, name: String, _ arguments: CryptoFileArguments?, in folder: String, length: Int64?, isResumable: Bool) {
        self.id = id
        self.userId = userId
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

    /// Makes the file.
    func create() throws {
        try restart()
        _ = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Continues a file that another process has begun: what is there is gone through once.
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
    /// - Throws: `QuotaExceeded`, and then nothing of it was written.
    public func write(_ part: [UInt8]) throws {
        if let room, offset + Int64(part.count) > room.bytes { throw QuotaExceeded(resource: .fileBytes, limit: room.limit) }
        if isTorn || hash == nil { try restore() }
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        // Until all of it is there. What was written of the part is found again, and counts.
        isTorn = true
        try file.write(box?.encrypt(part) ?? part)
        try hash?.update(part)
        offset += Int64(part.count)
        isTorn = false
    }

    /// Returns when what has come is on the disk: only then its sender may forget it.
    public func sync() throws {
        if isTorn || hash == nil { try restore() }
        try DiskFiles.sync(path)
    }

    /// SHA-256 of the contents. After it nothing more can be written.
    func digest() throws -> [UInt8] {
        if isTorn || hash == nil { try restore() }
        defer { hash = nil }
        return try hash?.finalize() ?? []
    }

    /// Ends the file; it is on the disk afterwards.
    func seal() throws {
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        if let box { try file.write(box.tag()) }
        try file.sync()
    }

    func remove() { DiskFiles.removeFile(path) }
}

/// Uploads that requests of this process have begun. Those that can be continued stay in here between requests, so that they need not be read again.
final class UploadsUnderway: Sendable {
    private struct State {
        var idle: [String: Upload] = [:]
        /// What ends the part that comes in the request that has it.
        var busy: [String: (@Sendable () -> Void)?] = [:]
        /// In the order in which they became idle.
        var order: [String] = []
        /// Files whose tag was verified, by what they were then.
        var verified: [Int64: String] = [:]
    }
    private let state = Mutex(State())
    private let givenBack = CompletionWaiters<String>()
    /// Each has some kilobytes of memory.
    private static let mostIdle = 256
    private let patience: Duration

    /// - Parameter patience: how long a request waits until another has kept what has come.
    init(patience: Duration = .seconds(10)) { self.patience = patience }

    /// Takes an upload for one request.
    /// - Parameter interrupt: ends the part that comes in the request; nil if none does.
    /// - Returns: false when another request has it; otherwise what is known of it.
    func take(_ id: String, interrupt: (@Sendable () -> Void)? = nil) -> (isFree: Bool, upload: Upload?) {
        state.withLock { state in
            guard state.busy[id] == nil else { return (false, nil) }
            state.busy[id] = .some(interrupt)
            state.order.removeAll { $0 == id }
            return (true, state.idle.removeValue(forKey: id))
        }
    }

    /// Takes an upload, also from another request that has it: a client that goes on has lost its connection, which may look here as if more would come.
    func takeOver(_ id: String, interrupt: (@Sendable () -> Void)?) async -> (isFree: Bool, upload: Upload?) {
        let end = ContinuousClock.now + patience
        while true {
            let change = givenBack.expect(id)
            let taken = take(id, interrupt: interrupt)
            let left = end - .now
            guard !taken.isFree, left > .zero else { return taken }
            state.withLock { $0.busy[id] ?? nil }?()
            await givenBack.wait(for: change, of: id, atMost: left)
        }
    }

    /// - Parameter upload: to be continued; nil when it has ended.
    func giveBack(_ id: String, _ upload: Upload?) {
        defer { givenBack.complete(id) }
        state.withLock { state in
            state.busy[id] = nil
            guard let upload else { return }
            state.idle[id] = upload
            state.order.append(id)
            if state.order.count > Self.mostIdle { state.idle[state.order.removeFirst()] = nil }
        }
    }

    // MARK: Files that are whole

    func isVerified(_ fileId: Int64, _ version: String) -> Bool { state.withLock { $0.verified[fileId] == version } }

    func verified(_ fileId: Int64, _ version: String) {
        state.withLock { state in
            if state.verified.count >= 1000 { state.verified.removeAll() }
            state.verified[fileId] = version
        }
    }

    var all: Set<String> { state.withLock { Set($0.busy.keys).union($0.idle.keys) } }
}

/// The record of uploads that can be continued.
enum PartialUploads {
    static let migration = Migration(
        name: "20261123_partial_uploads",
        up: """
            CREATE TABLE partial_uploads (
              upload_id TEXT NOT NULL PRIMARY KEY,
              user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
              file_name TEXT NOT NULL,
              -- null for a file that is kept as it came
              file_key TEXT,
              file_nonce TEXT,
              file_size INTEGER,
              updated_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX idx_partial_uploads_user ON partial_uploads (user_id);
            CREATE INDEX idx_partial_uploads_age ON partial_uploads (updated_at);
            """)

    /// The maximum number of uploads that a user may have.
    static let most: Int64 = 100
    /// How long an upload waits for its next part, in seconds.
    static let lifetime: Int64 = 86_400

    static func insert(_ upload: Upload, _ tx: Transaction) throws {
        let count = try tx.db.first("SELECT count(*) AS count FROM partial_uploads WHERE user_id = ?", [upload.userId])?.int64("count") ?? 0
        guard count < most else { throw ChatFailure.command("too many uploads are not finished") }
        try tx.db.execute(
            "INSERT INTO partial_uploads (upload_id, user_id, file_name, file_key, file_nonce, file_size, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                upload.id, upload.userId, upload.name, upload.arguments?.fileKeyText, upload.arguments?.fileNonceText, upload.length, tx.now.nanoseconds,
            ])
    }

    static func find(_ id: String, user userId: Int64, in folder: String, _ db: StoreConnection) throws -> Upload? {
        // Both names lead to files.
        guard FilePaths.isName(id), let row = try db.first("SELECT * FROM partial_uploads WHERE upload_id = ? AND user_id = ?", [id, userId]) else { return nil }
        var arguments: CryptoFileArguments?
        if let key = try row.stringOrNil("file_key"), let nonce = try row.stringOrNil("file_nonce") {
            arguments = try CryptoFileArguments(fileKeyText: key, fileNonceText: nonce)
        }
        return Upload(
            id: id, user: userId, name: FileName.shown(try row.string("file_name")), arguments, in: folder, length: try row.int64OrNil("file_size"), isResumable: true)
    }

    static func touch(_ id: String, _ tx: Transaction) throws {
        try tx.db.execute("UPDATE partial_uploads SET updated_at = ? WHERE upload_id = ?", [tx.now.nanoseconds, id])
    }

    static func remove(_ id: String, _ tx: Transaction) throws { try tx.db.execute("DELETE FROM partial_uploads WHERE upload_id = ?", [id]) }

    /// Removes those for which no part came for long, and files of which nothing is known: a process has ended while they came.
    static func clear(_ store: ChatStore, _ folders: LocalFolders.Paths, _ underway: UploadsUnderway) async throws {
        let limit = Timestamp.now.adding(seconds: -lifetime).nanoseconds
        let old = try await store.read { db in try db.first("SELECT 1 FROM partial_uploads WHERE updated_at < ? LIMIT 1", [limit]) != nil }
        if old { try await store.write { tx in try tx.db.execute("DELETE FROM partial_uploads WHERE updated_at < ?", [limit]) } }
        let present = try await blocking { DiskFiles.entries(folders.uploads) }
        guard !present.isEmpty else { return }
        let known = try await store.read { db in Set(try db.query("SELECT upload_id FROM partial_uploads", []).map { try $0.string("upload_id") }) }
        // In this order: what has become known meanwhile was underway before.
        let gone = present.filter { !known.contains($0) }
        let busy = underway.all
        let uploads = folders.uploads
        try await blocking { for name in gone where !busy.contains(name) { DiskFiles.removeFile(uploads + "/" + name) } }
    }
}

extension LocalFolders.Paths {
    /// Where uploads are until they are complete.
    var uploads: String { temporary + "/uploads" }
}
