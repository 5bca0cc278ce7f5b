import Concurrency
import NTF
import SMP
import Synchronization

/// The sessions with notification servers. Each server has one session, which is opened for its first use.
final class NotificationSessions: Sendable {
    private struct State {
        var sessions: [ProtocolServer: NTFSession] = [:]
        /// Lock for each server, so that two callers do not connect at the same time.
        var connectLocks: [ProtocolServer: AsyncLock] = [:]
        var isClosed = false
    }
    private let state = Mutex(State())
    private let clients: RelayClients

    init(clients: RelayClients) { self.clients = clients }

    /// Runs commands in a session with a server.
    /// - Throws: ``AgentError`` (`.ntf` for ERR of the server), or an error of `body` other than an error of the
    ///   session.
    func withSession<T: Sendable>(
        _ server: ProtocolServer,
        patience: Patience = .background,
        _ body: @Sendable (NTFSession) async throws -> T
    ) async throws -> T {
        do {
            return try await body(try await openSession(server, patience))
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
    }

    private func openSession(_ server: ProtocolServer, _ patience: Patience) async throws -> NTFSession {
        let turns = state.withLock { state in
            let turns = state.connectLocks[server] ?? AsyncLock()
            state.connectLocks[server] = turns
            return turns
        }
        return try await turns.runLocked {
            let known = try state.withLock { state in
                guard !state.isClosed else { throw AgentError.inactive }
                return state.sessions[server]
            }
            if let known, known.isOpen { return known }
            let session = try await clients.openNotificationSession(server, patience: patience)
            let isKept = state.withLock { state in
                guard !state.isClosed else { return false }
                state.sessions[server] = session
                return true
            }
            guard isKept else {
                await session.closeAndWait()
                throw AgentError.inactive
            }
            return session
        }
    }

    /// The servers with an open session.
    var connectedServers: [ProtocolServer] { state.withLock { $0.sessions.filter { $0.value.isOpen }.map(\.key) } }

    /// Closes all sessions. Later commands use new sessions.
    func closeSessions() {
        let sessions = state.withLock { state in
            defer { state.sessions = [:] }
            return Array(state.sessions.values)
        }
        if !sessions.isEmpty { Task { for session in sessions { await session.closeAndWait() } } }
    }

    func close() async {
        let sessions = state.withLock { state in
            state.isClosed = true
            defer { state.sessions = [:] }
            return Array(state.sessions.values)
        }
        for session in sessions { await session.closeAndWait() }
    }
}
