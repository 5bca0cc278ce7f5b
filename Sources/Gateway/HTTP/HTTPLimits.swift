package import Descriptors

/// Limits that the HTTP servers of a gateway share.
package struct HTTPLimits: Sendable {
    /// Limit on the file descriptors for clients.
    package let connections: ConnectionLimiter
    /// Limit on streams: long polls, event streams, WebSockets.
    package let streams: Allowance
    /// Limit on bodies that are read while they arrive. Each such body takes up to a megabyte of memory.
    let uploads: UploadLimit
    /// Limit on the memory of answers that clients have not read.
    let answers: UnreadAnswers
    /// Limit on connections from which the server still reads a refused body after the answer.
    let lingeringConnections: Allowance

    package init(connections: Int, perAddress: Int, streams: Int, answers: UnreadAnswers = UnreadAnswers()) {
        self.connections = ConnectionLimiter(limit: connections, perAddress: perAddress)
        self.streams = Allowance(streams)
        self.answers = answers
        uploads = UploadLimit(max(min(64, connections / 4), 1))
        lingeringConnections = Allowance(max(min(64, connections / 16), 1))
    }
}
