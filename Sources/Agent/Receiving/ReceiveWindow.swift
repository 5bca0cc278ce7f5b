import SMP
import SimpleXCrypto
import Synchronization

/// The acknowledgement of a message that lets its relay forget it and deliver the next one.
struct RelayAcknowledgement: Sendable {
    var relay: RelayClients.Key
    var rcvID: [UInt8]
    var rcvKey: AuthorizationPrivateKey
    var messageID: [UInt8]
}

/// Bounds the messages stored for the handler. A message is acknowledged to the relay as soon as it is stored, so that
/// the next one arrives while the handler works. If a connection's handler falls behind, the last acknowledgement is
/// held back until it catches up.
final class ReceiveWindow: Sendable {
    private struct Stored {
        var count = 0
        /// By receive queue: a relay delivers one message of a queue at a time.
        var held: [[UInt8]: RelayAcknowledgement] = [:]
    }
    private let state = Mutex<[ConnectionID: Stored]>([:])
    private let limit: Int

    /// Maximum number of messages of a connection that wait for the handler, and that the handler gets at once.
    static let limit = 64

    init(limit: Int) { self.limit = limit }

    /// Counts a message that was stored for the handler.
    /// - Returns: whether to acknowledge it to the relay now.
    func stored(_ connection: ConnectionID, _ acknowledgement: RelayAcknowledgement) -> Bool {
        state.withLock { state in
            state[connection, default: Stored()].count += 1
            return Self.isOpen(&state, connection, acknowledgement, limit)
        }
    }

    /// The relay delivered a stored message again.
    /// - Returns: whether to acknowledge it now.
    func repeated(_ connection: ConnectionID, _ acknowledgement: RelayAcknowledgement) -> Bool {
        state.withLock { Self.isOpen(&$0, connection, acknowledgement, limit) }
    }

    /// Counts a message that an earlier run stored.
    func resumed(_ connection: ConnectionID) {
        state.withLock { $0[connection, default: Stored()].count += 1 }
    }

    /// Subtracts `count` messages that the handler has finished with.
    /// - Returns: the acknowledgements to send now.
    func finished(_ connection: ConnectionID, _ count: Int) -> [RelayAcknowledgement] {
        state.withLock { state in
            guard var stored = state[connection] else { return [] }
            stored.count -= min(count, stored.count)
            var released: [RelayAcknowledgement] = []
            if stored.count < limit {
                released = Array(stored.held.values)
                stored.held = [:]
            }
            state[connection] = stored.count == 0 && stored.held.isEmpty ? nil : stored
            return released
        }
    }

    private static func isOpen(
        _ state: inout [ConnectionID: Stored],
        _ connection: ConnectionID,
        _ acknowledgement: RelayAcknowledgement,
        _ limit: Int
    ) -> Bool {
        guard let stored = state[connection], stored.count >= limit else { return true }
        state[connection]?.held[acknowledgement.rcvID] = acknowledgement
        return false
    }
}
