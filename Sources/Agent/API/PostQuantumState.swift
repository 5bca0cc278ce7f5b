import SQLCipher

/// State of the post-quantum encryption of a connection.
public struct PostQuantumState: Hashable, Sendable {
    /// Whether messages are short enough for the larger headers of a KEM.
    public var isSupported: Bool
    /// Whether the current sending chain was derived with a KEM secret.
    public var isSending: Bool
    /// Whether the current receiving chain was derived with a KEM secret.
    public var isReceiving: Bool
}

extension Agent {
    public func postQuantum(of connection: ConnectionID) async throws -> PostQuantumState {
        let record = try await database.read { db in try AgentConnection.get(connection, db) }
        let state = record.ratchet?.postQuantum
        return PostQuantumState(
            isSupported: record.pqSupport,
            isSending: state?.sending ?? false,
            isReceiving: state?.receiving ?? false
        )
    }
}
