import SMP
import SQLCipher
import Synchronization

/// Sends commands of a queue's sender (such as SEND) to any relay, including relays that the user has not configured.
extension RelayClients {
    /// Sends a command of a queue's sender directly, or through a relay of the user, according to the policy.
    ///
    /// - Parameters:
    ///   - connection: the connection to which the command belongs; nil for a command without a connection.
    ///   - servers: the relays of the user.
    /// - Returns: the answer, and the forwarding relay (nil if the command was sent directly).
    func sendCommand(
        _ request: SMPRequest,
        to destination: ProtocolServer,
        user: AgentUserID,
        connection: ConnectionID?,
        servers: [AgentServer],
        patience: Patience = .background
    ) async throws(SMPClientError) -> (answer: BrokerMessage, proxy: ProtocolServer?) {
        let hosts = Set(destination.hosts)
        let isKnown = servers.contains {
            !hosts.isDisjoint(with: $0.server.hosts) && $0.server.keyHash == destination.keyHash
        }
        let route = SenderRoute(policy: proxyPolicy, isKnown: isKnown, isProtected: hidesUserAddress(destination))
        let isMessage = if case .send = request.command { true } else { false }
        // The forwarding relay of the last attempt; nil if the last attempt was direct.
        let way = Mutex<ProtocolServer?>(nil)
        let key = Key(user: user, server: destination.withoutPassword)
        let answer: BrokerMessage
        do throws(SMPClientError) {
            answer = try await route.sendCommand(
                request,
                to: destination,
                patience: patience,
                direct: { () throws(SMPClientError) in
                    way.withLock { $0 = nil }
                    if isMessage { self.statistics.updateCounts(user, destination) { $0.sentDirectAttempts += 1 } }
                    return try self.requireSMPClient(user, destination, connection)
                },
                proxy: { () throws(SMPClientError) in
                    guard let server = self.chooseProxy(key, among: servers) else { return nil }
                    way.withLock { $0 = server }
                    if isMessage {
                        self.statistics.updateCounts(user, destination) { $0.sentViaProxyAttempts += 1 }
                        self.statistics.updateCounts(user, server) { $0.sentProxiedAttempts += 1 }
                    }
                    return try self.requireSMPClient(user, server, connection)
                }
            )
        } catch {
            if error.isFaultOfProxy, let proxy = way.withLock({ $0 }) { recordProxyFailure(proxy, key) }
            throw error
        }
        let proxy = way.withLock { $0 }
        guard isMessage else { return (answer, proxy) }
        if let proxy {
            statistics.updateCounts(user, destination) { $0.sentViaProxy += 1 }
            statistics.updateCounts(user, proxy) { $0.sentProxied += 1 }
        } else {
            statistics.updateCounts(user, destination) { $0.sentDirect += 1 }
        }
        return (answer, proxy)
    }

    private func requireSMPClient(
        _ user: AgentUserID,
        _ server: ProtocolServer,
        _ connection: ConnectionID?
    ) throws(SMPClientError) -> SMPClient {
        do { return try requireClient(user, server, for: connection) } catch { throw .closed }
    }
}

extension SMPClientError {
    /// Whether another forwarding relay may succeed after this failure of a forwarded command. Other errors come from
    /// the destination, or are temporary.
    fileprivate var isFaultOfProxy: Bool {
        switch self {
        case .network, .timeout, .transport, .incompatibleHost, .smp(.proxy): true
        case .smp, .proxy, .response, .unexpected, .closed: false
        }
    }
}

/// Reads the relays of the user.
func readServers(of user: AgentUserID, _ db: DatabaseConnection) throws -> [AgentServer] {
    try readServers(.servers, of: user, db)
}

/// Reads the file servers of the user.
func readFileServers(of user: AgentUserID, _ db: DatabaseConnection) throws -> [AgentServer] {
    try readServers(.fileServers, of: user, db)
}

/// A table with a list of servers for each user.
enum ServerTable: String {
    case servers
    case fileServers = "file_servers"
}

/// Replaces the servers of a user. A list that is stored already causes no write, so that a start commits nothing.
/// - Throws: `AgentError.noUser`.
func storeServers(
    _ servers: [AgentServer],
    in table: ServerTable,
    of user: AgentUserID,
    _ db: DatabaseConnection
) throws {
    guard try db.hasRow("SELECT 1 FROM users WHERE user_id = ? AND deleted = 0", user) else { throw AgentError.noUser }
    // A list that cannot be read is replaced too.
    guard (try? readServers(table, of: user, db)) != servers else { return }
    try db.execute("DELETE FROM \(table.rawValue) WHERE user_id = ?", user)
    for (position, server) in servers.enumerated() {
        try db.insert(
            into: table.rawValue,
            [
                "user_id": user, "position": position, "address": server.server.str, "operator_id": server.operatorID,
                "storage": server.hasStorageRole, "proxy": server.isProxy,
            ]
        )
    }
}

private func readServers(_ table: ServerTable, of user: AgentUserID, _ db: DatabaseConnection) throws -> [AgentServer] {
    try db.query("SELECT * FROM \(table.rawValue) WHERE user_id = ? ORDER BY position", user).map {
        AgentServer(
            try parseStoredServer($0.string("address")),
            operatorID: try $0.int64OrNil("operator_id"),
            hasStorageRole: try $0.bool("storage"),
            isProxy: try $0.bool("proxy")
        )
    }
}
