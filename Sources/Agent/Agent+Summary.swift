package import SMP
import SQLCipher

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
        for (link, active, pending) in (try? requireOnline())?.clients.sessionQueueCounts ?? [] {
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
