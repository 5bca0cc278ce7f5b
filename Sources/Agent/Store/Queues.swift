import SMP
import SQLCipher
import SimpleXCrypto

/// Step of a queue in the connection procedure (agent-protocol.md, "Connection procedure").
enum QueueStep: String {
    case new, secured, confirmed, active
}

/// A queue from which this side of a connection receives.
struct RcvQueue: Sendable {
    var connection: ConnectionID
    var server: ProtocolServer
    var rcvID: [UInt8]
    var key: AuthorizationPrivateKey
    var dhSecret: X25519.SharedSecret
    var sndID: [UInt8]
    var mode: QueueMode?
    var e2ePrivateKey: X25519.PrivateKey
    /// The secret that both sides share; nil until the first message brings the sender's key.
    var e2eSecret: X25519.SharedSecret?
    var clientVersion: UInt16
    var status: QueueStep
    /// State of the rotation to another queue.
    var switchStatus: QueueSwitch.RcvStatus?
    /// Whether this is the new queue of a rotation, which will replace the present queue of the connection.
    var isReplacement = false
    /// The sender's key for the new queue of a rotation.
    var senderKey: AuthorizationKey?
    /// The id of the service to which the relay has assigned the queue.
    var serviceID: [UInt8]?

    var credentials: RcvQueueCredentials {
        RcvQueueCredentials(rcvID: rcvID, key: key, dhSecret: dhSecret, serviceID: serviceID)
    }
}

/// A queue to which this side sends.
struct SndQueue: Sendable {
    var connection: ConnectionID
    var server: ProtocolServer
    var sndID: [UInt8]
    var key: AuthorizationPrivateKey
    var e2ePublicKey: X25519.PublicKey
    var e2eSecret: X25519.SharedSecret
    var mode: QueueMode?
    var clientVersion: UInt16
    var status: QueueStep
    /// State of the rotation to another queue.
    var switchStatus: QueueSwitch.SndStatus?

    /// Whether this side secures the queue itself (SKEY).
    var isSecuredBySender: Bool { mode == .messaging }

    /// Makes the record of a queue that the peer has offered, with new keys of this side.
    init(
        connection: ConnectionID,
        server: ProtocolServer,
        sndID: [UInt8],
        dhPublicKey: X25519.PublicKey,
        mode: QueueMode?,
        clientVersion: UInt16
    ) throws(CryptoError) {
        let e2eKey = try X25519.PrivateKey()
        self.connection = connection
        self.server = server
        self.sndID = sndID
        // The key is a signature key, as in the official apps, since relays of version 6 support no other keys.
        key = .ed25519(try Ed25519.PrivateKey())
        e2ePublicKey = e2eKey.publicKey
        e2eSecret = try e2eKey.sharedSecret(with: dhPublicKey)
        self.mode = mode
        self.clientVersion = clientVersion
        status = .new
    }
}

extension QueueMode {
    init?(column text: String) {
        switch text {
        case "M": self = .messaging
        case "C": self = .contact
        default: return nil
        }
    }

    fileprivate var columnText: String { self == .messaging ? "M" : "C" }
}

/// Parses the address of a server in the database: the whole address, with the password if there is one.
func parseStoredServer(_ text: String) throws -> ProtocolServer {
    guard let server = try? ProtocolServer(parsing: text) else { throw AgentError.internal("stored server address") }
    return server
}

extension RcvQueue {
    init(_ row: Row) throws {
        connection = ConnectionID(bytes: try row.blob("conn_id"))
        server = try parseStoredServer(row.string("server"))
        rcvID = try row.blob("rcv_id")
        key = try AuthorizationPrivateKey(pkcs8: row.blob("rcv_key"))
        dhSecret = try X25519.SharedSecret(rawRepresentation: row.blob("rcv_dh_secret"))
        sndID = try row.blob("snd_id")
        mode = try row.stringOrNil("mode").flatMap(QueueMode.init(column:))
        e2ePrivateKey = try X25519.PrivateKey(rawRepresentation: row.blob("e2e_private_key"))
        e2eSecret = try row.blobOrNil("e2e_secret").map { try X25519.SharedSecret(rawRepresentation: $0) }
        clientVersion = UInt16(clamping: try row.int64("client_version"))
        status = QueueStep(rawValue: try row.string("status")) ?? .new
        switchStatus = try row.stringOrNil("switch_status").flatMap(QueueSwitch.RcvStatus.init)
        isReplacement = try row.bool("is_replacement")
        senderKey = try row.blobOrNil("sender_key").map { try AuthorizationKey(spki: $0) }
        serviceID = try row.blobOrNil("service_id")
    }

    /// Inserts the record of the queue.
    /// - Parameter isReplacement: whether this is the new queue of a rotation.
    func insert(isReplacement: Bool = false, _ db: DatabaseConnection) throws {
        try db.insert(
            into: "rcv_queues",
            [
                "server": server.str, "rcv_id": rcvID, "conn_id": connection.bytes, "rcv_key": key.pkcs8,
                "rcv_dh_secret": dhSecret.rawRepresentation, "snd_id": sndID, "mode": mode?.columnText,
                "e2e_private_key": e2ePrivateKey.rawRepresentation, "client_version": clientVersion,
                "status": status.rawValue, "is_replacement": isReplacement, "service_id": serviceID,
            ]
        )
    }

    static func find(server: ProtocolServer, rcvID: [UInt8], _ db: DatabaseConnection) throws -> RcvQueue? {
        try db.firstRow(
            "SELECT * FROM rcv_queues WHERE server = :server AND rcv_id = :rcv_id",
            ["server": server.str, "rcv_id": rcvID]
        ).map(RcvQueue.init)
    }

    static func findCurrent(_ connection: ConnectionID, _ db: DatabaseConnection) throws -> RcvQueue? {
        try db.firstRow("SELECT * FROM rcv_queues WHERE conn_id = ? AND is_replacement = 0", connection.bytes).map(
            RcvQueue.init
        )
    }

    func setStatus(_ status: QueueStep, _ db: DatabaseConnection) throws {
        try db.update("rcv_queues", set: ["status": status.rawValue], where: ["server": server.str, "rcv_id": rcvID])
    }

    /// Stores the secret that was derived from the sender's key, and sets the status of the queue to `confirmed`.
    func storeSecret(secret: X25519.SharedSecret, clientVersion: UInt16, _ db: DatabaseConnection) throws {
        try db.update(
            "rcv_queues",
            set: [
                "e2e_secret": secret.rawRepresentation, "client_version": min(clientVersion, self.clientVersion),
                "status": QueueStep.confirmed.rawValue,
            ],
            where: ["server": server.str, "rcv_id": rcvID]
        )
    }
}

extension SndQueue {
    init(_ row: Row) throws {
        connection = ConnectionID(bytes: try row.blob("conn_id"))
        server = try parseStoredServer(row.string("server"))
        sndID = try row.blob("snd_id")
        key = try AuthorizationPrivateKey(pkcs8: row.blob("snd_key"))
        e2ePublicKey = try X25519.PublicKey(rawRepresentation: row.blob("e2e_public_key"))
        e2eSecret = try X25519.SharedSecret(rawRepresentation: row.blob("e2e_secret"))
        mode = try row.stringOrNil("mode").flatMap(QueueMode.init(column:))
        clientVersion = UInt16(clamping: try row.int64("client_version"))
        status = QueueStep(rawValue: try row.string("status")) ?? .new
        switchStatus = try row.stringOrNil("switch_status").flatMap(QueueSwitch.SndStatus.init)
    }

    /// Inserts the record of the queue.
    /// - Parameter isReplacement: whether this is the new queue of a rotation.
    func insert(isReplacement: Bool = false, _ db: DatabaseConnection) throws {
        try db.insert(
            into: "snd_queues",
            [
                "conn_id": connection.bytes, "server": server.str, "snd_id": sndID, "snd_key": key.pkcs8,
                "e2e_public_key": e2ePublicKey.rawRepresentation, "e2e_secret": e2eSecret.rawRepresentation,
                "mode": mode?.columnText, "client_version": clientVersion, "status": status.rawValue,
                "is_replacement": isReplacement,
            ]
        )
    }

    static func findCurrent(_ connection: ConnectionID, _ db: DatabaseConnection) throws -> SndQueue? {
        try db.firstRow("SELECT * FROM snd_queues WHERE conn_id = ? AND is_replacement = 0", connection.bytes).map(
            SndQueue.init
        )
    }

    func setStatus(_ status: QueueStep, _ db: DatabaseConnection) throws {
        try db.update(
            "snd_queues",
            set: ["status": status.rawValue],
            where: ["conn_id": connection.bytes, "server": server.str, "snd_id": sndID]
        )
    }
}
