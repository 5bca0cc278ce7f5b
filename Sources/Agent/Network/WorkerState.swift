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
    package var nextAttemptAtSeconds: Int64?
    /// The error of the last attempt, for workers that keep it.
    package var lastError: String?
}
