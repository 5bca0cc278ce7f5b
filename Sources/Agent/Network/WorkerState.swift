package import Concurrency
package import SMP

/// The present state of a worker of an agent: a task that sends, subscribes, transfers or reports something, and that
/// tries again after failures.
package struct WorkerState: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Sends the messages of a connection.
        case delivery
        /// Keeps a session with a relay, and subscribes to queues there.
        case subscription
        /// Runs the steps of a connection's procedures one after another: making, allowing, rotating, deleting.
        case connection
        /// Passes events of a connection, a relay or a file to the chat, in order.
        case events
        /// Deletes messages and events that were handled, and stores the receipts for the senders of received messages.
        case receipts
        case fileSending, fileReceiving
        /// Deletes files on a file server.
        case fileDeletion
        /// Adds notifiers to queues at a relay.
        case notifier
        /// Updates tokens and subscriptions at a notification server.
        case notification
    }

    package enum Activity: String, Sendable {
        case running
        /// The worker waits after a failure.
        case waitingToRetry
        /// The queue of the recipient is full.
        case waitingForSpace
    }

    package var kind: Kind
    /// The connection for which the worker works; nil for work without a connection.
    package var connection: ConnectionID?
    /// The file that the worker transfers; nil for other work.
    package var file: FileID?
    /// The server of the work; nil when several servers, or none, are concerned.
    package var server: ProtocolServer?
    package var activity: Activity
    /// Number of messages, events or queues that wait for this worker.
    package var waitingCount = 0
    /// Time since which the first of these messages, events or queues waits, in seconds since 1970; nil when it is
    /// unknown, or nothing waits.
    package var waitingSinceSeconds: Int64?
    /// Time of the next attempt, in seconds since 1970; nil while the worker runs.
    package var nextAttemptSeconds: Int64?
    /// The error of the last attempt, for workers that keep it.
    package var lastError: String?
}

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
