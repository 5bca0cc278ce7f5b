internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto
internal import SQLCipher

/// The record of an object in the object storage: the name of its file, and the key that decrypts the object.
///
/// The record is written before the object is stored, and removed after the object is deleted. So the program knows all
/// objects, even if the process ends at any moment.
struct StoredObject: Sendable {
    let objectKey: String
    /// Name of the file in the folder for files.
    let name: String
    let fileStamp: FileStamp
    let arguments: CryptoFileArguments

    private init(_ row: Row) throws {
        objectKey = try row.string("object_key")
        name = try row.string("file_path")
        fileStamp = FileStamp(size: try row.readCount("file_size"), modified: try row.int64("modified_at"))
        arguments = try CryptoFileArguments(
            fileKeyText: row.string("seal_key"),
            fileNonceText: row.string("seal_nonce")
        )
    }

    init(key: String, name: String, facts: FileStamp, arguments: CryptoFileArguments) {
        self.objectKey = key
        self.name = name
        self.fileStamp = facts
        self.arguments = arguments
    }

    // MARK: Reading

    private static let storedObjectsQuery =
        "SELECT object_key, file_path, file_size, modified_at, seal_key, seal_nonce FROM stored_objects WHERE object_state = 1"

    /// Returns the record of the object with the contents of a file; nil if the file is not in the storage.
    static func find(_ name: String, in db: StoreConnection) throws -> StoredObject? {
        try db.queryFirst("\(storedObjectsQuery) AND file_path = ?", [name]).map { try StoredObject($0) }
    }

    static func exists(_ name: String, in db: StoreConnection) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM stored_objects WHERE object_state = 1 AND file_path = ?", [name]) != nil
    }

    static func anyExists(in db: StoreConnection) throws -> Bool {
        try db.firstRow("SELECT 1 FROM stored_objects WHERE object_state = 1 LIMIT 1") != nil
    }

    /// Returns the names of all files in the storage, including files that are also on the disk.
    static func readNames(in db: StoreConnection) throws -> [String] {
        try db.query("SELECT file_path FROM stored_objects WHERE object_state = 1 ORDER BY file_path").map {
            try $0.string("file_path")
        }
    }

    static func readKeys(in db: StoreConnection) throws -> [String] {
        try db.query("SELECT object_key FROM stored_objects").map { try $0.string("object_key") }
    }

    /// Returns the keys of objects that have to be deleted now.
    static func findDueKeys(at now: Timestamp, in db: StoreConnection) throws -> [String] {
        try db.query(
            "SELECT object_key FROM stored_objects WHERE object_state = 2 AND due_at <= ? ORDER BY due_at LIMIT 100",
            [now.nanoseconds]
        )
        .map { try $0.string("object_key") }
    }

    /// Returns the time at which the next object must be deleted; nil if no object must be deleted.
    static func findNextDueTime(in db: StoreConnection) throws -> Timestamp? {
        try db.firstRow("SELECT min(due_at) AS due FROM stored_objects WHERE object_state = 2")?.int64OrNil("due").map {
            Timestamp(nanoseconds: $0)
        }
    }

    static func readFigures(in db: StoreConnection) throws -> (kept: Int64, bytes: Int64, incomplete: Int64) {
        let kept = try db.firstRow(
            "SELECT count(*) AS n, coalesce(sum(file_size), 0) AS bytes FROM stored_objects WHERE object_state = 1"
        )
        let others = try db.firstRow("SELECT count(*) AS n FROM stored_objects WHERE object_state <> 1")
        return (
            try kept?.readCount("n") ?? 0, try kept?.readClampedCount("bytes", upTo: Row.maxCount) ?? 0,
            try others?.readCount("n") ?? 0
        )
    }

    // MARK: Writing

    func insert(_ tx: Transaction) throws {
        try tx.db.insert(
            into: "stored_objects",
            [
                "object_key": objectKey, "file_path": name, "file_size": fileStamp.size,
                "modified_at": fileStamp.modifiedNanoseconds,
                "seal_key": arguments.fileKeyText, "seal_nonce": arguments.fileNonceText, "object_state": 0,
            ]
        )
    }

    /// Inserts the record of an object again, to repeat an upload that has failed. The new record replaces the old one.
    /// Does nothing if the object is already due for deletion, because it may be deleted at any moment.
    /// - Returns: whether the object is recorded.
    func insertAgain(_ tx: Transaction) throws -> Bool {
        let waiting = "SELECT 1 FROM stored_objects WHERE object_key = ? AND object_state = 2 AND due_at > ?"
        guard try tx.db.queryFirst(waiting, [objectKey, tx.now.nanoseconds]) != nil else { return false }
        try tx.db.execute("DELETE FROM stored_objects WHERE object_key = ?", [objectKey])
        try insert(tx)
        return true
    }

    /// Marks the object as completely stored. If the storage has an older object with previous contents of the file,
    /// marks the older object for deletion.
    func recordStored(_ tx: Transaction) throws {
        try Self.retireObject(name, tx)
        try tx.db.execute(
            "UPDATE stored_objects SET object_state = 1 WHERE object_key = ? AND object_state = 0",
            [objectKey]
        )
    }

    private static let retireStatement =
        "UPDATE stored_objects SET object_state = 2, file_path = NULL, seal_key = NULL, seal_nonce = NULL, due_at = ?"

    /// Marks the object of a deleted file for deletion.
    static func retireObject(_ name: String, _ tx: Transaction) throws {
        try tx.db.execute("\(retireStatement) WHERE file_path = ? AND object_state = 1", [tx.now.nanoseconds, name])
        tx.followUpWork.insert(.objects)
    }

    /// Marks an object for deletion.
    /// - Parameter delay: the number of seconds until the deletion. An object whose upload has failed may still appear
    ///   in the storage during this time.
    static func retireObject(key: String, after delay: Int64 = 0, _ tx: Transaction) throws {
        try tx.db.execute("\(retireStatement) WHERE object_key = ?", [tx.now.adding(seconds: delay).nanoseconds, key])
        if delay == 0 { tx.followUpWork.insert(.objects) }
    }

    /// Marks incomplete objects for deletion. An earlier process ended before the upload of these objects was complete.
    /// - Parameter delay: the number of seconds until the deletion.
    static func retireIncompleteObjects(after delay: Int64, _ tx: Transaction) throws {
        try tx.db.execute("\(retireStatement) WHERE object_state = 0", [tx.now.adding(seconds: delay).nanoseconds])
    }

    static func deleteRetiredObjects(_ keys: [String], _ tx: Transaction) throws {
        for key in keys {
            try tx.db.execute("DELETE FROM stored_objects WHERE object_key = ? AND object_state = 2", [key])
        }
    }

    /// Inserts records for the objects of a replaced database, and marks these objects for deletion.
    static func addForDeletion(_ keys: some Sequence<String>, _ tx: Transaction) throws {
        for key in keys {
            try tx.db.insert(into: "stored_objects", or: .ignore, ["object_key": key, "object_state": 2])
        }
    }

    /// The maximum size in bytes of the file that lists the objects of a replaced store.
    static let maxListBytes = 1 << 30

    /// Marks the objects of a replaced store for deletion. Reads the keys of the objects from a list file that was
    /// written when the store was replaced, and then removes this file.
    static func addListedForDeletion(at path: String, in store: ChatStore) async throws {
        guard let list = try await runBlocking({ try DiskFiles.readFile(path, limit: maxListBytes) }) else {
            return
        }
        let keys = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init)
        try await store.write { tx in try addForDeletion(keys, tx) }
        await runCleanup { DiskFiles.removeFile(path) }
    }
}

/// The size of a file, and the time of its last write. Both values show whether a file on the disk still has the stored
/// contents.
struct FileStamp: Sendable, Equatable {
    /// Size in bytes.
    let size: Int64
    /// Time of the last write, in nanoseconds since 1970.
    let modifiedNanoseconds: Int64

    init(size: Int64, modified: Int64) {
        self.size = size
        self.modifiedNanoseconds = modified
    }

    init(_ status: stat) {
        size = Int64(status.st_size)
        modifiedNanoseconds = Self.nanoseconds(status.st_mtim)
    }

    /// `UTIME_NOW` and `UTIME_OMIT` of `utimensat(2)`, which Swift does not import.
    static let utimeNow = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)
    static let utimeOmit = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)

    var modifiedTime: timespec {
        let (seconds, rest) = modifiedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0
            ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
            : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    }

    static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }

    /// Returns the status of a regular file; nil if there is no such file. Blocks the thread.
    static func readStatus(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status : nil
    }
}
