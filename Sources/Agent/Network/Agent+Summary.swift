package import SMP
import SQLCipher

/// State of an agent's use of one relay for one user.
package struct ServerState: Sendable {
    package var user: AgentUserID
    /// The server, without a password.
    package var server: ProtocolServer
    /// Numbers of sessions that are established, being established, or failed.
    package var connected = 0, connecting = 0, failed = 0
    /// Numbers of subscribed queues, and of queues that wait for a subscription.
    package var active = 0, pending = 0
    /// Whether the agent has a client for the relay now.
    package var isUsed = false
    /// Counts of operations; nil when nothing was counted.
    package var statistics: ServerStatistics?
}

/// Figures of an agent's sessions with all relays.
package struct RelayFigures: Sendable, Hashable {
    /// Numbers of sessions that are established, being established, or failed.
    package var connected = 0, connecting = 0, failed = 0
    /// Numbers of subscribed queues, and of queues that wait for a subscription.
    package var active = 0, pending = 0

    package init() {}
}

/// Figures of the messages that an agent sends.
package struct OutboxFigures: Sendable, Hashable {
    /// Number of connections with messages to send, and number of these connections that have waited for long.
    package var connections = 0, late = 0
    /// Number of messages that no relay has accepted, as of the last attempt of each connection.
    package var messages = 0
    /// Age of the oldest waiting message in seconds.
    package var oldest: Int64 = 0

    package init() {}
}

/// State of an agent's use of one file server for one user.
package struct FileServerState: Sendable {
    package var user: AgentUserID
    /// The server, without a password.
    package var server: ProtocolServer
    /// Number of established sessions.
    package var connected = 0
    /// Kinds of work in progress on the server.
    package var work: Set<FileWork> = []
    /// Counts of operations; nil when nothing was counted.
    package var statistics: FileServerStatistics?
}

/// Purpose of a session with a file server.
package enum FileWork: Sendable {
    case sending, receiving, deleting
}

/// State of one queue in the report of its relay.
package struct QueueReport: Sendable {
    /// Address of the relay, without a password.
    package var server: String
    package var rcvID: [UInt8]
    package var sndID: [UInt8]
    package var status: String
    /// The report of the relay, as JSON.
    package var info: [UInt8]
}

extension Agent {
    /// Returns the states of all relays that the agent uses now, or has used since ``resetStatistics()`` or the first
    /// start.
    package func serverStates() -> (startedAt: Int64, [ServerState]) {
        let (startedAt, counts, _) = statistics.all
        var states: [RelayClients.Key: ServerState] = [:]
        func change(_ key: RelayClients.Key, _ body: (inout ServerState) -> Void) {
            let key = RelayClients.Key(user: key.user, server: key.server.withoutPassword)
            body(&states[key, default: ServerState(user: key.user, server: key.server)])
        }
        for (key, one) in counts { change(key) { $0.statistics = one } }
        for (key, summary) in (try? online())?.clients.summaries ?? [] {
            change(key) { state in
                state.isUsed = true
                switch summary.link {
                case .connected: state.connected += 1
                case .connecting: state.connecting += 1
                case .failed: state.failed += 1
                case .none: break
                }
                state.active += summary.active.count
                state.pending += summary.pending.count
            }
        }
        for server in (try? online())?.notifications.sessions.connected ?? [] {
            change(RelayClients.Key(user: 0, server: server)) { state in
                state.isUsed = true
                state.connected += 1
            }
        }
        return (startedAt, states.values.sorted { ($0.user, $0.server.str) < ($1.user, $1.server.str) })
    }

    /// Returns the states of all file servers that the agent uses now, or has used since ``resetStatistics()`` or the
    /// first start.
    package func fileServerStates() -> [FileServerState] {
        var states: [RelayClients.Key: FileServerState] = [:]
        func change(_ key: RelayClients.Key, _ body: (inout FileServerState) -> Void) {
            body(&states[key, default: FileServerState(user: key.user, server: key.server)])
        }
        for (key, one) in statistics.all.files { change(key) { $0.statistics = one } }
        for (key, connected, work) in (try? online())?.files.sessions.summaries ?? [] {
            change(RelayClients.Key(user: key.user, server: key.server)) { state in
                state.connected += connected
                state.work.formUnion(work)
            }
        }
        return states.values.sorted { ($0.user, $0.server.str) < ($1.user, $1.server.str) }
    }

    /// Figures of the waiting messages. All data is in memory.
    package var outboxFigures: OutboxFigures { (try? online())?.outbox.figures ?? OutboxFigures() }

    /// Figures of the sessions with relays. All data is in memory.
    package var relayFigures: RelayFigures {
        var figures = RelayFigures()
        for (link, active, pending) in (try? online())?.clients.counts ?? [] {
            switch link {
            case .connected: figures.connected += 1
            case .connecting: figures.connecting += 1
            case .failed: figures.failed += 1
            case .none: break
            }
            figures.active += active
            figures.pending += pending
        }
        return figures
    }

    package func resetStatistics() async throws {
        statistics.reset()
        try await database.write { [statistics] db in try statistics.store(db) }
    }

    /// Returns the given connections whose receive queues are subscribed to now.
    package func receiving(_ connections: [ConnectionID]) async throws -> Set<ConnectionID> {
        guard let clients = (try? online())?.clients else { return [] }
        let active = clients.active
        return try await database.read { db in
            try Set(connections.filter { try RcvQueue.of($0, db).map { active.contains($0.rcvID) } ?? false })
        }
    }

    /// Requests a report about the queue of a connection from the relay (QUE).
    package func queueReport(_ id: ConnectionID, patience: Patience = .background) async throws -> QueueReport {
        let (record, queue) = try await database.read { db in (try AgentConnection.get(id, db), try RcvQueue.of(id, db))
        }
        guard let queue else { throw AgentError.connection(.simplex, context: "queue info") }
        do {
            let info = try await online().clients.client(record.userID, queue.server, for: id).queueInfo(
                queue.credentials,
                patience: patience
            )
            return QueueReport(
                server: queue.server.withoutPassword.str,
                rcvID: queue.rcvID,
                sndID: queue.sndID,
                status: queue.status.rawValue,
                info: info
            )
        } catch let error as SMPClientError {
            throw AgentError(error, server: queue.server)
        }
    }
}
