package import SMP

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
    /// Number of messages that no relay has accepted yet. Newly added messages may be missing.
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
    /// The information that the relay publishes about itself, as JSON.
    package var info: [UInt8]
}
