package import SMP
import SQLCipher

/// State of an agent's use of one relay for one user.
package struct ServerState: Sendable {
    package var user: AgentUserID
    /// The server, without a password.
    package var server: ProtocolServer
    /// Numbers of sessions that are established, being established, or failed.
    package var connectedSessions = 0, connectingSessions = 0, failedSessions = 0
    /// Numbers of subscribed queues, and of queues that wait for a subscription.
    package var activeQueues = 0, pendingQueues = 0
    /// Whether the agent has a client for the relay now.
    package var isUsed = false
    /// Counts of operations; nil when nothing was counted.
    package var statistics: ServerStatistics?
}

/// Figures of an agent's sessions with all relays.
package struct RelayFigures: Sendable, Hashable {
    /// Numbers of sessions that are established, being established, or failed.
    package var connectedSessions = 0, connectingSessions = 0, failedSessions = 0
    /// Numbers of subscribed queues, and of queues that wait for a subscription.
    package var activeQueues = 0, pendingQueues = 0

    package init() {}
}

/// Figures of the messages that an agent sends.
package struct OutboxFigures: Sendable, Hashable {
    /// Number of connections with messages to send, and number of these connections that have waited for long.
    package var connections = 0, lateConnections = 0
    /// Number of messages that no relay has accepted, as of the last attempt of each connection.
    package var waitingMessages = 0
    /// Age of the oldest waiting message in seconds.
    package var oldestAgeSeconds: Int64 = 0

    package init() {}
}

/// State of an agent's use of one file server for one user.
package struct FileServerState: Sendable {
    package var user: AgentUserID
    /// The server, without a password.
    package var server: ProtocolServer
    /// Number of established sessions.
    package var connectedSessions = 0
    /// Kinds of work in progress on the server.
    package var runningWork: Set<FileWork> = []
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
        let (startedAt, counts, _) = statistics.snapshot
        var states: [RelayClients.Key: ServerState] = [:]
        func changeState(_ key: RelayClients.Key, _ body: (inout ServerState) -> Void) {
            let key = RelayClients.Key(user: key.user, server: key.server.withoutPassword)
            body(&states[key, default: ServerState(user: key.user, server: key.server)])
        }
        for (key, one) in counts { changeState(key) { $0.statistics = one } }
        for (key, summary) in (try? requireOnline())?.clients.summaries ?? [] {
            changeState(key) { state in
                state.isUsed = true
                switch summary.linkState {
                case .connected: state.connectedSessions += 1
                case .connecting: state.connectingSessions += 1
                case .failed: state.failedSessions += 1
                case .none: break
                }
                state.activeQueues += summary.activeQueueIDs.count
                state.pendingQueues += summary.pendingQueueIDs.count
            }
        }
        for server in (try? requireOnline())?.notifications.sessions.connectedServers ?? [] {
            changeState(RelayClients.Key(user: 0, server: server)) { state in
                state.isUsed = true
                state.connectedSessions += 1
            }
        }
        return (startedAt, states.values.sorted { ($0.user, $0.server.str) < ($1.user, $1.server.str) })
    }

    /// Returns the states of all file servers that the agent uses now, or has used since ``resetStatistics()`` or the
    /// first start.
    package func fileServerStates() -> [FileServerState] {
        var states: [RelayClients.Key: FileServerState] = [:]
        func changeState(_ key: RelayClients.Key, _ body: (inout FileServerState) -> Void) {
            body(&states[key, default: FileServerState(user: key.user, server: key.server)])
        }
        for (key, one) in statistics.snapshot.files { changeState(key) { $0.statistics = one } }
        for (key, connected, work) in (try? requireOnline())?.files.sessions.summaries ?? [] {
            changeState(RelayClients.Key(user: key.user, server: key.server)) { state in
                state.connectedSessions += connected
                state.runningWork.formUnion(work)
            }
        }
        return states.values.sorted { ($0.user, $0.server.str) < ($1.user, $1.server.str) }
    }

    /// Figures of the waiting messages. They are in memory, so the database is not read.
    package var outboxFigures: OutboxFigures { (try? requireOnline())?.outbox.figures ?? OutboxFigures() }

    /// Figures of the sessions with relays. They are in memory, so the database is not read.
    package var relayFigures: RelayFigures {
        var figures = RelayFigures()
        for (link, active, pending) in (try? requireOnline())?.clients.linkCounts ?? [] {
            switch link {
            case .connected: figures.connectedSessions += 1
            case .connecting: figures.connectingSessions += 1
            case .failed: figures.failedSessions += 1
            case .none: break
            }
            figures.activeQueues += active
            figures.pendingQueues += pending
        }
        return figures
    }

    package func resetStatistics() async throws {
        statistics.resetCounts()
        try await database.write { [statistics] db in try statistics.storeSnapshot(db) }
    }

    /// Returns the given connections whose receive queues are subscribed to now.
    package func subscribedConnections(_ connections: [ConnectionID]) async throws -> Set<ConnectionID> {
        guard let clients = (try? requireOnline())?.clients else { return [] }
        let active = clients.subscribedQueueIDs
        return try await database.read { db in
            try Set(connections.filter { try RcvQueue.findCurrent($0, db).map { active.contains($0.rcvID) } ?? false })
        }
    }

    /// Requests a report about the queue of a connection from the relay (QUE).
    package func requestQueueReport(_ id: ConnectionID, patience: Patience = .background) async throws -> QueueReport {
        let (record, queue) = try await database.read { db in
            (try AgentConnection.get(id, db), try RcvQueue.findCurrent(id, db))
        }
        guard let queue else { throw AgentError.connection(.simplex, context: "queue info") }
        do {
            let info = try await requireOnline().clients.requireClient(record.userID, queue.server, for: id)
                .requestQueueInfo(
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
