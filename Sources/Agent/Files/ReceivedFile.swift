import Files
import SMP
import SQLCipher
import SimpleXCrypto
import XFTP

/// A file that is being received or was received. The record exists until the caller has confirmed the result.
struct ReceivedFile: Sendable {
    enum Status: String, Sendable { case receiving, complete, error }

    var id: FileID
    var user: AgentUserID
    /// Time of the start, in seconds since 1970.
    var createdAtSeconds: Int64
    var target: LocalFile
    /// Whether servers that do not belong to the user may learn the IP address of this machine.
    var isApproved: Bool
    /// The description that the caller has given. If it is a redirect, it leads to the description of the file, which
    /// later replaces the redirect.
    var description: FileDescription
    var status = Status.receiving
    var error: AgentError?

    init(
        id: FileID,
        user: AgentUserID,
        at now: Int64,
        target: LocalFile,
        isApproved: Bool,
        description: FileDescription
    ) {
        self.id = id
        self.user = user
        createdAtSeconds = now
        self.target = target
        self.isApproved = isApproved
        self.description = description
    }

    init(_ row: Row) throws {
        id = FileID(bytes: try row.blob("file_id"))
        user = try row.int64("user_id")
        createdAtSeconds = try row.readTime("created_at")
        target = LocalFile(
            path: StoredPath(try row.string("target_path"), seal: try row.blobOrNil("target_seal")),
            arguments: try CryptoFileArguments(row, "local_key", "local_nonce")
        )
        isApproved = try row.bool("approved")
        description = try FileDescription(parsing: row.string("description"))
        status = Status(rawValue: try row.string("status")) ?? .error
        error = try row.stringOrNil("error").map { AgentError(stored: $0) }
    }

    /// Hidden name of the decrypted file while it is incomplete. The incomplete file is in the target folder, so that
    /// it can be renamed to the target.
    var partialFileName: String { Self.partialFileName(of: id) }

    static func partialFileName(of id: FileID) -> String { ".\(id.text)\(partialFileSuffix)" }

    func removePartialFile(in roots: FileRoots) { Self.removePartialFile(of: id, target.path, in: roots) }

    static func removePartialFile(of id: FileID, _ target: StoredPath, in roots: FileRoots) {
        StoreFile(target, in: roots).removePartialFile(partialFileName(of: id))
    }

    static let partialFileSuffix = ".partial"

    static func find(_ id: FileID, _ db: DatabaseConnection) throws -> ReceivedFile? {
        try db.firstRow("SELECT * FROM rcv_files WHERE file_id = ?", id.bytes).map(ReceivedFile.init)
    }

    /// Whether a file is still being received.
    static func isReceiving(_ id: FileID, _ db: DatabaseConnection) throws -> Bool {
        try db.hasRow(
            "SELECT 1 FROM rcv_files WHERE file_id = :file_id AND status = :status",
            ["file_id": id.bytes, "status": Status.receiving.rawValue]
        )
    }

    /// Returns the target path of a file; nil for an unknown file. The description of the file is not parsed.
    static func findTargetPath(_ id: FileID, _ db: DatabaseConnection) throws -> StoredPath? {
        try db.firstRow("SELECT target_path, target_seal FROM rcv_files WHERE file_id = ?", id.bytes).map {
            StoredPath(try $0.string("target_path"), seal: try $0.blobOrNil("target_seal"))
        }
    }

    /// Returns the readable records, the oldest first. Unreadable records are skipped, because they must not prevent a
    /// start.
    static func readAll(_ db: DatabaseConnection) throws -> [ReceivedFile] {
        try db.query("SELECT * FROM rcv_files ORDER BY created_at").compactMap { try? ReceivedFile($0) }
    }

    /// Inserts the file, unless its id is known.
    func insert(_ db: DatabaseConnection) throws {
        try db.insert(
            into: "rcv_files",
            or: .ignore,
            [
                "file_id": id.bytes, "user_id": user, "created_at": createdAtSeconds, "target_path": target.path.text,
                "target_seal": target.path.seal, "local_key": target.cryptoArguments?.fileKey.rawRepresentation,
                "local_nonce": target.cryptoArguments?.fileNonce.rawRepresentation, "approved": isApproved,
                "description": description.text, "status": status.rawValue,
            ]
        )
    }

    /// Stores status and error.
    func updateStatus(_ db: DatabaseConnection) throws {
        try db.update(
            "rcv_files",
            or: .fail,
            set: ["status": status.rawValue, "error": error?.storedForm],
            where: ["file_id": id.bytes]
        )
    }

    /// Replaces the description of a redirect by the description of the file, and forgets the received chunks.
    func setDescription(_ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM rcv_chunks WHERE file_id = ?", id.bytes)
        try db.update("rcv_files", or: .fail, set: ["description": description.text], where: ["file_id": id.bytes])
    }

    static func remove(_ id: FileID, _ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM rcv_files WHERE file_id = ?", id.bytes)
    }

    /// Returns the numbers of the chunks that are in the work folder.
    static func readReceivedChunkNumbers(_ id: FileID, _ db: DatabaseConnection) throws -> Set<Int> {
        Set(
            try db.query("SELECT number FROM rcv_chunks WHERE file_id = ?", id.bytes).map {
                Int(clamping: try $0.int64("number"))
            }
        )
    }

    static func storeReceivedChunk(_ number: Int, of id: FileID, _ db: DatabaseConnection) throws {
        try db.execute(
            """
            INSERT OR IGNORE INTO rcv_chunks (file_id, number) SELECT file_id, :number FROM rcv_files
            WHERE file_id = :file_id
            """,
            ["number": number, "file_id": id.bytes]
        )
    }

    static func removeReceivedChunks(_ numbers: [Int], of id: FileID, _ db: DatabaseConnection) throws {
        for number in numbers {
            try db.delete(from: "rcv_chunks", where: ["file_id": id.bytes, "number": number])
        }
    }
}
