import SMP
import Synchronization
import XFTP

/// The sessions with servers of files, one for each user and server, or for each file: different users never share a session.
///
/// A session is made when it is needed, and closed when it was not for a while.
final class FileSessions: Sendable {
    struct Key: Hashable, Sendable {
        var user: AgentUserID
        /// Without a password.
        var server: ProtocolServer
        /// The file, where each has its own session.
        var file: FileID?
    }

    private struct Entry {
        var session: Task<XFTPSession, any Error>
        /// How many commands use it.
        var users = 0
        /// Changes with every use.
        var uses = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let clients: RelayClients
    private let idleTime: Duration

    init(clients: RelayClients, idleTime: Duration = .seconds(60)) {
        self.clients = clients
        self.idleTime = idleTime
    }

    /// Runs commands in the session with a server. A session whose connection seems to be lost is not used again.
    /// - Throws: ``AgentError``, or what `body` has thrown besides errors of the session.
    func use<T: Sendable>(
        _ user: AgentUserID, _ server: ProtocolServer, for file: FileID?, _ body: (XFTPSession) async throws -> T
    ) async throws -> T {
        let key = Key(user: user, server: server.withoutPassword, file: clients.isolatesEntities ? file : nil)
        let task = try begin(key)
        defer { end(key, task) }
        do {
            return try await body(try await Self.session(task))
        } catch let error as XFTPClientError {
            if case .broker = error { drop(key, task) }
            throw AgentError(error, server: server)
        }
    }

    /// The session, or the end of the wait for it when the task is cancelled.
    private static func session(_ task: Task<XFTPSession, any Error>) async throws -> XFTPSession {
        let (sessions, made) = AsyncThrowingStream.makeStream(of: XFTPSession.self)
        Task.detached {
            do {
                made.yield(try await task.value)
                made.finish()
            } catch { made.finish(throwing: error) }
        }
        for try await session in sessions { return session }
        throw CancellationError()
    }

    private func begin(_ key: Key) throws(AgentError) -> Task<XFTPSession, any Error> {
        let task = state.withLock { state -> Task<XFTPSession, any Error>? in
            if state.isClosed { return nil }
            let task = state.entries[key]?.session ?? Task.detached { [clients] in try await clients.files(key.user, key.server, for: key.file) }
            var entry = state.entries[key] ?? Entry(session: task)
            entry.users += 1
            entry.uses += 1
            state.entries[key] = entry
            return task
        }
        guard let task else { throw .inactive }
        return task
    }

    private func end(_ key: Key, _ task: Task<XFTPSession, any Error>) {
        let uses = state.withLock { state -> Int? in
            guard let entry = state.entries[key], entry.session == task else { return nil }
            state.entries[key]?.users -= 1
            return entry.users == 1 ? entry.uses : nil
        }
        guard let uses else { return }
        Task { [weak self, idleTime] in
            try await Task.sleep(for: idleTime)
            self?.closeIdle(key, after: uses)
        }
    }

    private func closeIdle(_ key: Key, after uses: Int) {
        let entry = state.withLock { state -> Entry? in
            guard let entry = state.entries[key], entry.users == 0, entry.uses == uses else { return nil }
            state.entries[key] = nil
            return entry
        }
        if let entry { Self.close([entry]) }
    }

    /// Others that use it finish with it, or fail too; the connection is closed with the last of them.
    private func drop(_ key: Key, _ task: Task<XFTPSession, any Error>) {
        state.withLock { state in
            if state.entries[key]?.session == task { state.entries[key] = nil }
        }
    }

    /// Has all sessions made anew, as with other settings.
    func reset() {
        state.withLock { $0.entries = [:] }
    }

    func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return Array(state.entries.values)
        }
        Self.close(entries)
    }

    private static func close(_ entries: [Entry]) {
        for entry in entries { Task { try? await entry.session.value.close() } }
    }
}
