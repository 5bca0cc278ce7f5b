import SMP
import SimpleXCrypto
import Synchronization

/// The acknowledgement of a message. The relay then deletes the message, and delivers the next one.
struct RelayAcknowledgement: Sendable {
    var relay: RelayClients.Key
    var rcvID: [UInt8]
    var rcvKey: AuthorizationPrivateKey
    var messageID: [UInt8]
}

/// Limits the number of messages that are stored for the handler. The agent acknowledges a message to the relay as soon
/// as the message is stored, so that the next message arrives while the handler works. If the handler of a connection
/// falls behind, the agent holds back the last acknowledgement.
final class ReceiveWindow: Sendable {
    private struct ConnectionState {
        var storedCount = 0
        /// Delayed acknowledgements, by receive queue. Each queue has at most one, because a relay delivers one message
        /// of a queue at a time.
        var heldAcknowledgements: [[UInt8]: RelayAcknowledgement] = [:]
    }
    private let state = Mutex<[ConnectionID: ConnectionState]>([:])
    private let limit: Int

    /// Maximal number of a connection's messages that wait for the handler. One call of the handler gets at most this
    /// number of messages.
    static let defaultMaxMessages = 64

    init(limit: Int) { self.limit = limit }

    /// Counts a message that was stored for the handler.
    /// - Returns: whether to acknowledge the message to the relay now.
    func recordStoredMessage(_ connection: ConnectionID, _ acknowledgement: RelayAcknowledgement) -> Bool {
        state.withLock { state in
            state[connection, default: ConnectionState()].storedCount += 1
            return Self.allowOrHoldAcknowledgement(&state, connection, acknowledgement, limit)
        }
    }

    /// Handles a stored message that the relay has delivered again.
    /// - Returns: whether to acknowledge the message now.
    func recordRepeatedMessage(_ connection: ConnectionID, _ acknowledgement: RelayAcknowledgement) -> Bool {
        state.withLock { Self.allowOrHoldAcknowledgement(&$0, connection, acknowledgement, limit) }
    }

    /// Counts a message that an earlier run has stored.
    func recordResumedMessage(_ connection: ConnectionID) {
        state.withLock { $0[connection, default: ConnectionState()].storedCount += 1 }
    }

    /// Lowers the number of unprocessed messages of a connection by `count`.
    /// - Returns: the delayed acknowledgements to send now.
    func recordHandledMessages(_ connection: ConnectionID, _ count: Int) -> [RelayAcknowledgement] {
        state.withLock { state in
            guard var stored = state[connection] else { return [] }
            stored.storedCount -= min(count, stored.storedCount)
            var released: [RelayAcknowledgement] = []
            if stored.storedCount < limit {
                released = Array(stored.heldAcknowledgements.values)
                stored.heldAcknowledgements = [:]
            }
            state[connection] = stored.storedCount == 0 && stored.heldAcknowledgements.isEmpty ? nil : stored
            return released
        }
    }

    private static func allowOrHoldAcknowledgement(
        _ state: inout [ConnectionID: ConnectionState],
        _ connection: ConnectionID,
        _ acknowledgement: RelayAcknowledgement,
        _ limit: Int
    ) -> Bool {
        guard let stored = state[connection], stored.storedCount >= limit else { return true }
        state[connection]?.heldAcknowledgements[acknowledgement.rcvID] = acknowledgement
        return false
    }
}
