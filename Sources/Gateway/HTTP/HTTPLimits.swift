public import Descriptors

/// What the HTTP servers of a gateway may have open together.
public struct HTTPLimits: Sendable {
    /// Descriptors of clients.
    public let connections: ConnectionCount
    /// Requests that follow something: long polls, event streams, WebSockets.
    public let streams: Allowance
    /// Connections from which is read after their answer.
    let lingering: Allowance

    public init(connections: Int, perAddress: Int, streams: Int) {
        self.connections = ConnectionCount(limit: connections, perAddress: perAddress)
        self.streams = Allowance(streams)
        lingering = Allowance(max(min(64, connections / 16), 1))
    }
}
