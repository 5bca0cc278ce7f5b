import SQLCipher

/// State of the post-quantum encryption of a connection.
package struct PostQuantumState: Hashable, Sendable {
    /// Whether messages are short enough for the larger headers of a KEM.
    package var isSupported: Bool
    /// Whether the current sending chain was derived with a KEM secret.
    package var isSending: Bool
    /// Whether the current receiving chain was derived with a KEM secret.
    package var isReceiving: Bool
}

extension Agent {
    package func fetchPostQuantumState(of connection: ConnectionID) async throws -> PostQuantumState {
        let record = try await database.read { db in try AgentConnection.get(connection, db) }
        let state = record.ratchet?.postQuantum
        return PostQuantumState(
            isSupported: record.supportsPQ,
            isSending: state?.isSending ?? false,
            isReceiving: state?.isReceiving ?? false
        )
    }
}
