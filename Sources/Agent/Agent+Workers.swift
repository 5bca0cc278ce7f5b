package import Concurrency

extension Agent {
    /// The states of all workers; none while the agent is offline. They are in memory, so the database is not read.
    package var workerStates: [WorkerState] {
        guard let run = try? requireOnline() else { return [] }
        let subscriptions = run.clients.sessionStates.map { key, link, pending in
            WorkerState(
                kind: .subscription,
                connection: key.separateConnection,
                server: key.relay.server,
                activity: link == .failed ? .waitingToRetry : .running,
                waitingCount: pending
            )
        }
        let jobs = run.jobs.waitingCounts.map { lane, count in Self.makeState(.connection, lane, count) }
        let events = run.emissions.waitingCounts.map { lane, count in Self.makeState(.events, lane, count) }
        let deletions = run.deletions.waitingCounts.map { _, count in
            WorkerState(kind: .receipts, activity: .running, waitingCount: count)
        }
        let fileDeletions = run.files.sessions.summaries.filter { $0.work.contains(.deleting) }.map { key, _, _ in
            WorkerState(kind: .fileDeletion, server: key.server, activity: .running)
        }
        return fileDeletions + run.outbox.workerStates + subscriptions + jobs + events + deletions
            + run.files.workerStates
            + run.notifications.workerStates
    }

    private static func makeState(_ kind: WorkerState.Kind, _ lane: Lane, _ count: Int) -> WorkerState {
        var state = WorkerState(kind: kind, activity: .running, waitingCount: count)
        switch lane {
        case .connection(let id), .sentMessages(let id): state.connection = id
        case .relay(let key): state.server = key.server
        case .file(let id): state.file = id
        }
        return state
    }

    /// Figures of the database writes and reads that run or wait.
    package var databaseQueueFigures: (writes: WaitFigures, reads: WaitFigures) { database.queueFigures }
}
