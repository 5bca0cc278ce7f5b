import SMP
import SQLCipher
import SimpleXCrypto

/// Users that are services, and their certificates. A relay knows all queues of a service by one certificate.
///
/// A relay assigns the queues of a service to the certificate of the service. Then one command subscribes to all these
/// queues. Each relay gets a different certificate. Two addresses of a relay with different passwords count as two
/// relays, because each address has a separate session. A second session with the same certificate would take the
/// queues away from the first session.
struct ClientServices: Sendable {
    private var users: Set<AgentUserID> = []
    private var certificates: [RelayClients.Key: ServiceCredentials] = [:]

    init() {}

    /// Reads the users and their certificates. A damaged certificate is left out, and replaced when it is needed.
    init(_ db: DatabaseConnection) throws {
        users = try Self.readUsers(db)
        for row in try db.query("SELECT * FROM client_services") {
            guard let server = try? parseStoredServer(row.string("server")),
                let key = try? SignaturePrivateKey(pkcs8: row.blob("private_key")),
                let credentials = try? ServiceCredentials(
                    role: .messaging,
                    certificates: [row.blob("certificate")],
                    leafKey: key
                )
            else { continue }
            certificates[RelayClients.Key(user: try row.int64("user_id"), server: server)] = credentials
        }
    }

    /// Returns the users that are services.
    static func readUsers(_ db: DatabaseConnection) throws -> Set<AgentUserID> {
        Set(
            try db.query("SELECT user_id FROM users WHERE is_service = 1 AND deleted = 0").map {
                try $0.int64("user_id")
            }
        )
    }

    /// Returns the users that have to change: true for a user that becomes a service, false for a service that becomes
    /// a usual user.
    /// - Parameter wanted: the users, and whether each is to be a service.
    static func findChanges(
        _ wanted: [AgentUserID: Bool],
        _ db: DatabaseConnection
    ) throws -> [AgentUserID: Bool] {
        let stored = try db.query("SELECT user_id, is_service FROM users WHERE deleted = 0").map {
            (try $0.int64("user_id"), try $0.bool("is_service"))
        }
        let changed = stored.compactMap { user, isService in
            wanted[user].flatMap { $0 == isService ? nil : (user, $0) }
        }
        return Dictionary(changed) { first, _ in first }
    }

    mutating func addUser(_ user: AgentUserID) { users.insert(user) }

    /// Returns the certificate of a user for a relay; nil for a user that is no service, or without a certificate.
    func findCertificate(_ relay: RelayClients.Key) -> ServiceCredentials? {
        users.contains(relay.user) ? certificates[relay] : nil
    }

    /// Makes the certificate of a user for a relay, if it is missing and the user is a service.
    /// - Returns: the new certificate.
    mutating func makeCertificate(_ relay: RelayClients.Key) -> ServiceCredentials? {
        guard users.contains(relay.user), certificates[relay] == nil,
            let new = try? ServiceCredentials.generate(role: .messaging)
        else { return nil }
        certificates[relay] = new
        return new
    }

    /// Stores the id of the service to which a relay has assigned queues.
    static func storeAssignment(
        _ rcvIDs: [[UInt8]],
        to serviceID: [UInt8],
        _ relay: RelayClients.Key,
        _ db: DatabaseConnection
    ) throws {
        for id in rcvIDs {
            try db.update(
                "rcv_queues",
                set: ["service_id": serviceID],
                where: ["server": relay.server.str, "rcv_id": id]
            )
        }
    }

    /// Stores the certificate of a user for a relay, unless the user is deleted or is no service.
    static func storeCertificate(
        _ credentials: ServiceCredentials,
        _ relay: RelayClients.Key,
        _ db: DatabaseConnection
    ) throws {
        guard let certificate = credentials.certificates.first else { return }
        try db.execute(
            """
            INSERT OR REPLACE INTO client_services (user_id, server, certificate, private_key)
            SELECT user_id, :server, :certificate, :private_key FROM users
            WHERE user_id = :user_id AND is_service = 1 AND deleted = 0
            """,
            [
                "server": relay.server.str, "certificate": certificate, "private_key": credentials.leafKey.pkcs8,
                "user_id": relay.user,
            ]
        )
    }
}
