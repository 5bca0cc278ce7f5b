public import Descriptors

/// Limits that the HTTP servers of a gateway share.
public struct HTTPLimits: Sendable {
    /// Descriptors of clients.
    public let connections: ConnectionCount
    /// Requests that follow something: long polls, event streams, WebSockets.
    public let streams: Allowance
    /// Bodies that are read while they come. Each takes up to a megabyte of memory.
    let uploads: UploadPlaces
    /// Answers that have not left.
    let answers: UnreadAnswers
    /// Connections from which is read after their answer.
    let lingering: Allowance

    public init(connections: Int, perAddress: Int, streams: Int, answers: UnreadAnswers = UnreadAnswers()) {
        self.connections = ConnectionCount(limit: connections, perAddress: perAddress)
        self.streams = Allowance(streams)
        self.answers = answers
        uploads = UploadPlaces(max(min(64, connections / 4), 1))
        lingering = Allowance(max(min(64, connections / 16), 1))
    }
}
