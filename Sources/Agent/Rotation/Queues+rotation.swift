import Clocks
import SMP
import SQLCipher
import SimpleXCrypto

extension RcvQueue {
    /// Finds the new queue of a rotation, which will replace the present queue of the connection.
    static func findReplacement(of connection: ConnectionID, _ db: DatabaseConnection) throws -> RcvQueue? {
        try db.firstRow("SELECT * FROM rcv_queues WHERE conn_id = ? AND is_replacement = 1", connection.bytes).map(
            RcvQueue.init
        )
    }

    func setSwitchStatus(_ status: QueueSwitch.RcvStatus?, _ db: DatabaseConnection) throws {
        try db.update(
            "rcv_queues",
            set: ["switch_status": status?.rawValue],
            where: ["server": server.str, "rcv_id": rcvID]
        )
    }

    /// Stores the secret as ``storeSecret(secret:clientVersion:_:)`` does, and the key that secures the queue.
    func storeSecretAndKey(
        secret: X25519.SharedSecret,
        clientVersion: UInt16,
        senderKey: AuthorizationKey,
        _ db: DatabaseConnection
    ) throws {
        try storeSecret(secret: secret, clientVersion: clientVersion, db)
        try db.update(
            "rcv_queues",
            set: ["sender_key": senderKey.spki],
            where: ["server": server.str, "rcv_id": rcvID]
        )
    }

    /// Moves the queue from the connection to the queues that their relays have to delete.
    func moveToDeleted(user: AgentUserID, _ db: DatabaseConnection) throws {
        try db.insert(
            into: "deleted_queues",
            or: .replace,
            [
                "server": server.str, "rcv_id": rcvID, "conn_id": connection.bytes, "user_id": user,
                "rcv_key": key.pkcs8,
                "rcv_dh_secret": dhSecret.rawRepresentation, "deleted_at": WallClock.seconds(),
            ]
        )
        try remove(db)
    }

    /// Makes this queue the queue of the connection, and removes the old queue.
    func promote(over old: RcvQueue, _ db: DatabaseConnection) throws {
        try old.remove(db)
        try db.update("rcv_queues", set: ["is_replacement": 0], where: ["server": server.str, "rcv_id": rcvID])
    }

    private func remove(_ db: DatabaseConnection) throws {
        try db.delete(from: "rcv_queues", where: ["server": server.str, "rcv_id": rcvID])
    }

    var address: QueueAddress { QueueAddress(server: server.withoutPassword, senderID: sndID) }
}

extension SndQueue {
    static func findReplacement(of connection: ConnectionID, _ db: DatabaseConnection) throws -> SndQueue? {
        try db.firstRow("SELECT * FROM snd_queues WHERE conn_id = ? AND is_replacement = 1", connection.bytes).map(
            SndQueue.init
        )
    }

    /// Finds the queue to which messages of the connection are sent. During a rotation, this is the old queue until the
    /// recipient has confirmed that the new queue is secured.
    static func findForSending(
        _ connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws -> (queue: SndQueue, isReplacement: Bool)? {
        try db.firstRow(
            """
            SELECT * FROM snd_queues
            WHERE conn_id = :conn_id AND (is_replacement = 0 OR status = :status) ORDER BY is_replacement DESC LIMIT 1
            """,
            ["conn_id": connection.bytes, "status": QueueStep.secured.rawValue]
        ).map { (try SndQueue($0), try $0.bool("is_replacement")) }
    }

    func setSwitchStatus(_ status: QueueSwitch.SndStatus?, _ db: DatabaseConnection) throws {
        try db.update(
            "snd_queues",
            set: ["switch_status": status?.rawValue],
            where: ["conn_id": connection.bytes, "server": server.str, "snd_id": sndID]
        )
    }

    /// Makes this queue the queue of the connection, and removes the old queue.
    func promote(over old: SndQueue, _ db: DatabaseConnection) throws {
        try old.remove(db)
        try MessageRepetition.endRepetitions(connection, db)
        try db.update(
            "snd_queues",
            set: ["is_replacement": 0, "status": QueueStep.active.rawValue],
            where: ["conn_id": connection.bytes, "server": server.str, "snd_id": sndID]
        )
    }

    func remove(_ db: DatabaseConnection) throws {
        try db.delete(from: "snd_queues", where: ["conn_id": connection.bytes, "server": server.str, "snd_id": sndID])
    }

    func isAtAddress(_ address: QueueAddress) -> Bool { address.belongsToQueue(server, sndID) }
}

extension QueueAddress {
    /// Whether this address belongs to the given queue. Only the certificates of the relays are compared, because a
    /// relay may have several names.
    func belongsToQueue(_ server: ProtocolServer, _ sndID: [UInt8]) -> Bool {
        senderID == sndID && self.server.keyHash == server.keyHash
    }
}
