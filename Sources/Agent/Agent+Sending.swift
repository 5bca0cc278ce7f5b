import SMP
import SQLCipher

extension Agent {
    /// Sends a command of a queue's sender, directly or through a relay of the user. Any answer other than OK is an
    /// error.
    func sendCommand(
        _ request: SMPRequest,
        to destination: ProtocolServer,
        user: AgentUserID,
        connection: ConnectionID?,
        patience: Patience
    ) async throws {
        let clients = try requireOnline().clients
        let servers = try await database.read { db in try readServers(of: user, db) }
        do throws(SMPClientError) {
            let answer = try await clients.sendCommand(
                request,
                to: destination,
                user: user,
                connection: connection,
                servers: servers,
                patience: patience
            ).answer
            guard case .ok = answer else { throw .unexpected(answer.tag) }
        } catch {
            throw AgentError(error, server: destination)
        }
    }
}
