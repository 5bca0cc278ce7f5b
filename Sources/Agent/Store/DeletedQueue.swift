import Clocks
import SMP
import SQLCipher
import SimpleXCrypto

/// A receive queue that this agent no longer uses, and that its relay has not deleted yet.
struct DeletedQueue: Sendable {
    var user: AgentUserID
    var queue: RcvQueueCredentials
    var connection: ConnectionID
    var server: ProtocolServer
    /// Time at which the deletion was ordered, in seconds since 1970.
    var deletedAtSeconds: Int64

    /// Creates the record of a queue that its relay must still delete.
    init(user: AgentUserID, queue: RcvQueueCredentials, connection: ConnectionID, server: ProtocolServer) {
        deletedAtSeconds = WallClock.seconds()
        self.user = user
        self.queue = queue
        self.connection = connection
        self.server = server
    }

    init(_ row: Row) throws {
        user = try row.int64("user_id")
        connection = ConnectionID(bytes: try row.blob("conn_id"))
        server = try parseStoredServer(row.string("server"))
        deletedAtSeconds = try row.readTime("deleted_at")
        queue = RcvQueueCredentials(
            rcvID: try row.blob("rcv_id"),
            key: try AuthorizationPrivateKey(pkcs8: row.blob("rcv_key")),
            dhSecret: try X25519.SharedSecret(rawRepresentation: row.blob("rcv_dh_secret"))
        )
    }

    static func readAll(_ db: DatabaseConnection) throws -> [DeletedQueue] {
        try db.query("SELECT * FROM deleted_queues").map(DeletedQueue.init)
    }

    func remove(_ db: DatabaseConnection) throws {
        try db.delete(from: "deleted_queues", where: ["server": server.str, "rcv_id": queue.rcvID])
    }
}
