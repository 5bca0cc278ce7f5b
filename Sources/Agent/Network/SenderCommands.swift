import SMP
import SQLCipher

/// How the commands of senders get to relays that may not be the user's own.
extension RelayClients {
    /// Sends a sender's command directly or through one of the user's own relays, as the policy has it.
    ///
    /// - Parameters:
    ///   - connection: what it is for, if it is for one.
    ///   - servers: the user's own.
    func send(
        _ request: SMPRequest, to destination: ProtocolServer, user: AgentUserID, connection: ConnectionID?, servers: [ProtocolServer]
    ) async throws(SMPClientError) -> BrokerMessage {
        let hosts = Set(destination.hosts)
        let isKnown = servers.contains { !hosts.isDisjoint(with: $0.hosts) && $0.keyHash == destination.keyHash }
        let route = SenderRoute(policy: proxyPolicy, isKnown: isKnown, isProtected: protects(destination))
        return try await route.send(
            request, to: destination,
            direct: { () throws(SMPClientError) in try self.smpClient(user, destination, connection) },
            proxy: { () throws(SMPClientError) in
                guard let server = self.proxy(Key(user: user, server: destination.withoutPassword), among: servers) else { return nil }
                return try self.smpClient(user, server, connection)
            })
    }

    private func smpClient(_ user: AgentUserID, _ server: ProtocolServer, _ connection: ConnectionID?) throws(SMPClientError) -> SMPClient {
        do { return try client(user, server, for: connection) } catch { throw .closed }
    }
}

extension Agent {
    /// Sends a sender's command that is answered with OK.
    func send(_ request: SMPRequest, to destination: ProtocolServer, user: AgentUserID, connection: ConnectionID?) async throws {
        let clients = try online().clients
        let servers = try await database.read { db in try storedServers(of: user, db) }
        do throws(SMPClientError) {
            let answer = try await clients.send(request, to: destination, user: user, connection: connection, servers: servers)
            guard case .ok = answer else { throw .unexpected(answer.tag) }
        } catch {
            throw AgentError(error, server: destination)
        }
    }
}

/// The user's own relays.
func storedServers(of user: AgentUserID, _ db: Connection) throws -> [ProtocolServer] {
    try db.query("SELECT address FROM servers WHERE user_id = ?", user).map { try storedServer(try $0.string("address")) }
}
