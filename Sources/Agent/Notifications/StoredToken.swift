import NTF
import SMP
import SQLCipher
import SimpleXCrypto

/// Mode of pushes by the notification server: at each message, or periodically.
package enum NotificationMode: String, Hashable, Sendable, CaseIterable {
    case periodic = "PERIODIC", instant = "INSTANT"
}

/// The device's token, which is registered, or being registered, with a notification server.
struct StoredToken: Sendable {
    /// Next step of the token. The step is stored before its attempt, so that the next registration continues with it.
    enum Action: Equatable {
        case register
        case verify(code: [UInt8])
        case check
    }

    var token: PushToken
    var server: ProtocolServer
    /// Id of the token at the server; nil before the registration.
    var id: [UInt8]?
    /// Key that authorizes the commands of the token.
    var key: AuthorizationPrivateKey
    var dhKey: X25519.PrivateKey
    /// Secret that encrypts the contents of pushes.
    var dhSecret: X25519.SharedSecret?
    var status = NTFTokenStatus.new
    var action: Action? = .register
    var mode: NotificationMode

    /// Makes a token record with new keys.
    init(_ token: PushToken, server: ProtocolServer, mode: NotificationMode) throws {
        self.token = token
        self.server = server
        self.mode = mode
        key = .ed25519(try Ed25519.PrivateKey())
        dhKey = try X25519.PrivateKey()
    }

    /// Whether each message causes a push, so that queues need notifiers.
    var receivesInstantPushes: Bool { status == .active && mode == .instant }

    private init(_ row: Row) throws {
        guard let service = PushService(rawValue: try row.string("push_service")) else {
            throw AgentError.internal("push service")
        }
        token = PushToken(service: service, text: try row.string("token"))
        server = try parseStoredServer(row.string("server"))
        id = try row.blobOrNil("token_id")
        key = try AuthorizationPrivateKey(pkcs8: row.blob("token_key"))
        dhKey = try X25519.PrivateKey(rawRepresentation: row.blob("dh_key"))
        dhSecret = try row.blobOrNil("dh_secret").map { try X25519.SharedSecret(rawRepresentation: $0) }
        status = NTFTokenStatus(text: try row.string("status")) ?? .new
        mode = NotificationMode(rawValue: try row.string("mode")) ?? .instant
        switch try row.stringOrNil("action") {
        case "register": action = .register
        case "verify": action = .verify(code: try row.blobOrNil("code") ?? [])
        case "check": action = .check
        default: action = nil
        }
    }

    static func find(_ db: DatabaseConnection) throws -> StoredToken? {
        try db.firstRow("SELECT * FROM ntf_token").map(StoredToken.init)
    }

    func storeToken(_ db: DatabaseConnection) throws {
        let (name, code): (String?, [UInt8]?) =
            switch action {
            case nil: (nil, nil)
            case .register: ("register", nil)
            case .verify(let code): ("verify", code)
            case .check: ("check", nil)
            }
        let due = try db.firstRow("SELECT interval_due FROM ntf_token")?.bool("interval_due") ?? false
        try db.insert(
            into: "ntf_token",
            or: .replace,
            [
                "slot": 1, "push_service": token.service.rawValue, "token": token.text, "server": server.str,
                "token_id": id, "token_key": key.pkcs8, "dh_key": dhKey.rawRepresentation,
                "dh_secret": dhSecret?.rawRepresentation, "status": status.text, "action": name, "code": code,
                "mode": mode.rawValue, "interval_due": due,
            ]
        )
    }

    static func remove(_ db: DatabaseConnection) throws { try db.execute("DELETE FROM ntf_token") }

    static func storePushIntervalDue(isDue: Bool, _ db: DatabaseConnection) throws {
        try db.execute("UPDATE ntf_token SET interval_due = ?", isDue)
    }

    /// Removes the token on this machine. If the notification server knows the token, adds it to the tokens that this
    /// server has to delete.
    func moveToDeleted(at now: Int64, _ db: DatabaseConnection) throws {
        try Self.remove(db)
        guard let id else { return }
        try db.insert(
            into: "deleted_ntf_tokens",
            or: .replace,
            ["server": server.str, "token_id": id, "token_key": key.pkcs8, "deleted_at": now]
        )
    }
}

/// Token that must still be deleted on its server.
struct DeletedToken: Sendable {
    var server: ProtocolServer
    var id: [UInt8]
    var key: AuthorizationPrivateKey
    /// Time at which the deletion was ordered, in seconds since 1970.
    var deletedAtSeconds: Int64

    static func readAll(_ db: DatabaseConnection) throws -> [DeletedToken] {
        try db.query("SELECT * FROM deleted_ntf_tokens ORDER BY deleted_at LIMIT 100").map { row in
            DeletedToken(
                server: try parseStoredServer(row.string("server")),
                id: try row.blob("token_id"),
                key: try AuthorizationPrivateKey(pkcs8: row.blob("token_key")),
                deletedAtSeconds: try row.readTime("deleted_at")
            )
        }
    }

    func remove(_ db: DatabaseConnection) throws {
        try db.delete(from: "deleted_ntf_tokens", where: ["server": server.str, "token_id": id])
    }
}
