import SMP
import SQLCipher
import SimpleXCrypto
import XFTP

/// A chunk of a sent file that has to be deleted on its server.
struct DeletedChunk: Sendable {
    var user: AgentUserID
    var server: ProtocolServer
    var replicaID: [UInt8]
    var replicaKey: AuthorizationPrivateKey
    /// Time at which the deletion was ordered, in seconds since 1970.
    var deletedAtSeconds: Int64

    init(
        user: AgentUserID,
        server: ProtocolServer,
        replicaID: [UInt8],
        replicaKey: AuthorizationPrivateKey,
        at now: Int64
    ) {
        self.user = user
        self.server = server
        self.replicaID = replicaID
        self.replicaKey = replicaKey
        deletedAtSeconds = now
    }

    init(_ row: Row) throws {
        user = try row.int64("user_id")
        server = try parseStoredServer(row.string("server"))
        replicaID = try row.blob("replica_id")
        replicaKey = try AuthorizationPrivateKey(pkcs8: row.blob("replica_key"))
        deletedAtSeconds = try row.readTime("deleted_at")
    }

    /// Returns the oldest chunks, at most `count`.
    static func readOldest(_ count: Int, _ db: DatabaseConnection) throws -> [DeletedChunk] {
        try db.query("SELECT * FROM deleted_chunks ORDER BY deleted_at LIMIT ?", count).map(DeletedChunk.init)
    }

    func insert(_ db: DatabaseConnection) throws {
        try db.insert(
            into: "deleted_chunks",
            or: .ignore,
            [
                "server": server.str, "replica_id": replicaID, "user_id": user, "replica_key": replicaKey.pkcs8,
                "deleted_at": deletedAtSeconds,
            ]
        )
    }

    func remove(_ db: DatabaseConnection) throws {
        try db.delete(from: "deleted_chunks", where: ["server": server.str, "replica_id": replicaID])
    }

    /// Orders the deletion of all chunks of a sent file on their servers, and removes the chunks from the file.
    static func insertChunks(of file: SentFile, at now: Int64, _ db: DatabaseConnection) throws {
        for chunk in try SentChunk.readAll(of: file.id, db) where !chunk.isAbandoned {
            try DeletedChunk(
                user: file.user,
                server: chunk.server,
                replicaID: chunk.replicaID,
                replicaKey: chunk.replicaKey,
                at: now
            ).insert(db)
        }
        try db.execute("DELETE FROM snd_chunks WHERE file_id = ?", file.id.bytes)
    }
}
