import Concurrency
import SMP
import Synchronization
import XFTP

/// The sessions with file servers: several for each user and server, or several for each file. Different users never
/// share a session.
/// Each session runs one command at a time, because the original's server executes the commands of a connection one
/// after the other, and concurrent uploads would wait for each other forever. A session is made when it is needed, and
/// closed when it was unused for some time.
final class FileSessions: Sendable {
    struct Key: Hashable, Sendable {
        var user: AgentUserID
        /// The server, without a password.
        var server: ProtocolServer
        /// The file, if each file has its own sessions; otherwise nil.
        var file: FileID?
    }

    private struct IdleSession {
        var session: XFTPSession
        var idleSince: ContinuousClock.Instant
    }

    private struct Pool {
        /// Lock that limits the number of concurrent commands. Each command uses a session of its own.
        let commandLock = AsyncLock(places: maxSessionsPerServer)
        /// Number of commands for each purpose. Each command has a session or waits for a session.
        var commandCounts: [FileWork: Int] = [:]
        /// Number of commands that have a session.
        var busyCount = 0
        var idleSessions: [IdleSession] = []
        /// Whether the task that closes unused sessions is running.
        var isSweeping = false
        var isUsed: Bool { commandCounts.values.contains { $0 > 0 } }
    }

    private struct State {
        var pools: [Key: Pool] = [:]
        /// Number of times that ``resetSessions()`` was called. A session from before the last call is not used again.
        var resetCount = 0
        var isClosed = false
    }

    /// Maximal number of sessions with a server. Several sessions speed up transfers of many small files, because a
    /// session mostly waits for the disk of the server.
    private static let maxSessionsPerServer = 8
    private let state = Mutex(State())
    private let clients: RelayClients
    private let idleTime: Duration

    init(clients: RelayClients, idleTime: Duration = .seconds(30)) {
        self.clients = clients
        self.idleTime = idleTime
    }

    /// The number of present sessions with each server, and the purposes of their commands.
    var summaries: [(key: Key, connected: Int, work: Set<FileWork>)] {
        state.withLock { state in
            state.pools.map { key, pool in
                (key, pool.busyCount + pool.idleSessions.count, Set(pool.commandCounts.filter { $0.value > 0 }.keys))
            }
        }
    }

    /// Runs a command in a session with a server. If the maximal number of commands is running on this server, the
    /// command waits. Commands for different servers do not wait for each other.
    /// - Throws: ``AgentError``, or an error of `body` other than an error of the session.
    func withSession<T: Sendable>(
        _ server: ProtocolServer,
        of user: AgentUserID,
        for file: FileID?,
        _ work: FileWork,
        _ body: (XFTPSession) async throws -> T
    ) async throws -> T {
        let key = Key(user: user, server: server.withoutPassword, file: clients.usesSessionPerEntity ? file : nil)
        let places = try beginCommand(key, work)
        defer { endCommand(key, work) }
        return try await places.runLocked {
            try Task.checkCancellation()
            let (idle, generation) = state.withLock { ($0.pools[key]?.idleSessions.popLast()?.session, $0.resetCount) }
            do {
                let session: XFTPSession
                if let idle { session = idle } else { session = try await openSession(key) }
                state.withLock { $0.pools[key]?.busyCount += 1 }
                defer { state.withLock { $0.pools[key]?.busyCount -= 1 } }
                let result: Result<T, any Error>
                do { result = .success(try await body(session)) } catch { result = .failure(error) }
                // A session is used again only if the server has answered, even with an error. Without an answer, the
                // connection may be lost, or a command may be incomplete.
                switch result {
                case .success, .failure(XFTPClientError.xftp): returnSession(session, key, generation)
                case .failure: await session.close()
                }
                return try result.get()
            } catch let error as XFTPClientError {
                throw AgentError(error, server: server)
            }
        }
    }

    /// Opens a session. If the task is cancelled, the wait for the session ends.
    private func openSession(_ key: Key) async throws -> XFTPSession {
        let (sessions, made) = AsyncThrowingStream.makeStream(of: XFTPSession.self)
        Task.detached { [clients] in
            do {
                made.yield(try await clients.openFileSession(key.user, key.server, for: key.file))
                made.finish()
            } catch { made.finish(throwing: error) }
        }
        for try await session in sessions { return session }
        throw CancellationError()
    }

    private func beginCommand(_ key: Key, _ work: FileWork) throws(AgentError) -> AsyncLock {
        let places = state.withLock { state -> AsyncLock? in
            if state.isClosed { return nil }
            var pool = state.pools[key] ?? Pool()
            pool.commandCounts[work, default: 0] += 1
            state.pools[key] = pool
            return pool.commandLock
        }
        guard let places else { throw .inactive }
        return places
    }

    private func endCommand(_ key: Key, _ work: FileWork) {
        state.withLock { state in
            state.pools[key]?.commandCounts[work, default: 0] -= 1
            if let pool = state.pools[key], !pool.isUsed, pool.idleSessions.isEmpty { state.pools[key] = nil }
        }
    }

    private func returnSession(_ session: XFTPSession, _ key: Key, _ generation: Int) {
        let (isKept, sweeps) = state.withLock { state in
            guard !state.isClosed, state.resetCount == generation, let pool = state.pools[key] else {
                return (false, false)
            }
            state.pools[key]?.idleSessions.append(IdleSession(session: session, idleSince: .now))
            state.pools[key]?.isSweeping = true
            return (true, !pool.isSweeping)
        }
        if !isKept { Task { await session.close() } }
        guard sweeps else { return }
        Task { [weak self, idleTime] in
            repeat { try await Task.sleep(for: idleTime) } while self?.closeIdleSessions(key) == true
        }
    }

    /// Closes sessions that were unused for ``idleTime``.
    /// - Returns: whether the pool still has commands or idle sessions.
    private func closeIdleSessions(_ key: Key) -> Bool {
        let latest = ContinuousClock.now - idleTime
        let (old, others) = state.withLock { state -> ([IdleSession], Bool) in
            guard var pool = state.pools[key] else { return ([], false) }
            let old = pool.idleSessions.filter { $0.idleSince <= latest }
            pool.idleSessions.removeAll { $0.idleSince <= latest }
            let others = pool.isUsed || !pool.idleSessions.isEmpty
            pool.isSweeping = others
            state.pools[key] = others ? pool : nil
            return (old, others)
        }
        Self.closeSessions(old)
        return others
    }

    /// Closes the idle sessions after a change of settings. Later commands use new sessions.
    func resetSessions() { Self.closeSessions(takeIdleSessions { $0.resetCount += 1 }) }

    func close() { Self.closeSessions(takeIdleSessions { $0.isClosed = true }) }

    private func takeIdleSessions(_ change: (inout State) -> Void) -> [IdleSession] {
        state.withLock { state in
            change(&state)
            let idle = state.pools.values.flatMap(\.idleSessions)
            for key in state.pools.keys { state.pools[key]?.idleSessions = [] }
            return idle
        }
    }

    private static func closeSessions(_ idle: [IdleSession]) {
        for idle in idle { Task { await idle.session.close() } }
    }
}
