internal import Agent
package import ChatAPI

/// A worker of a store, with the reason why it waits.
package struct WorkerReport: Hashable, Sendable {
    /// The kind of work: `delivery`, `subscription`, `connection`, `events`, `receipts`, `fileSending`,
    /// `fileReceiving`, `fileDeletion`, `notifier` or `notification`.
    package let kind: String
    /// The state of the worker: `running`, `waitingToRetry` or `waitingForSpace`.
    package let state: String
    /// The agent's id of the connection; nil for work that belongs to no connection.
    package let connection: String?
    /// The agent's id of the file; nil for other work.
    package let file: String?
    /// The address of the server without its password; nil for work that belongs to no server.
    package let server: String?
    /// Number of messages, events or queues that wait for the worker.
    package let waitingCount: Int
    /// The time since which the first message, event or queue waits; nil when it is unknown, or nothing waits.
    package let waitingSince: Timestamp?
    /// The time of the next attempt; nil while the worker runs.
    package let nextAttempt: Timestamp?
    /// The error of the last attempt; nil after a success, and for workers that keep no error.
    package let lastError: String?

    init(_ state: WorkerState) {
        kind = state.kind.rawValue
        self.state = state.activity.rawValue
        connection = state.connection?.text
        file = state.file?.text
        server = state.server?.withoutPassword.str
        waitingCount = state.waitingCount
        waitingSince = state.waitingSinceSeconds.map(Timestamp.init(seconds:))
        nextAttempt = state.nextAttemptAtSeconds.map(Timestamp.init(seconds:))
        lastError = state.lastError
    }

    /// A text that orders the workers of a store: by kind, server, connection and file.
    package var sortingKey: String { "\(kind) \(server ?? "") \(connection ?? "") \(file ?? "")" }
}
