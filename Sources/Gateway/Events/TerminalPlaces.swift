internal import Synchronization

/// The positions of clients of the socket at `/`, which have no cursors. The next client of a key begins after the last
/// event that was sent to a client of the key. The first client of a key begins after the last event before the start
/// of the gateway. So a bot that connects again misses no events, as in the original.
final class TerminalPlaces: Sendable {
    /// Maximal number of events that wait for a client. Earlier events are skipped without a report, since the protocol
    /// cannot report a gap.
    static let limit: UInt64 = 1024
    /// Number of keys above which the positions of keys without connected clients are dropped.
    static let maxKeys = 1000

    private struct State {
        /// The epoch of the journal. The positions are valid only in this journal.
        var epoch: String
        /// The position for keys that had no client yet.
        var start: UInt64
        var places: [String: UInt64] = [:]
        var clients: [String: Int] = [:]
    }

    private let state: Mutex<State>

    init(epoch: String, start: UInt64) { state = Mutex(State(epoch: epoch, start: start)) }

    /// Notes a new client.
    /// - Parameters:
    ///   - key: the name of the client's key.
    ///   - kept: the positions from which a reader of the journal can go on.
    /// - Returns: the number of the event after which the client begins. While another client of the key is connected,
    ///   this is the last event.
    func open(_ key: String, epoch: String, kept: ClosedRange<UInt64>) -> UInt64 {
        state.withLock { state in
            if state.epoch != epoch { state = State(epoch: epoch, start: kept.upperBound) }
            let others = state.clients.updateValue((state.clients[key] ?? 0) + 1, forKey: key)
            guard others == nil else { return kept.upperBound }
            let place = state.places[key] ?? state.start
            let earliest = max(kept.lowerBound, kept.upperBound - min(kept.upperBound, Self.limit))
            return min(max(place, earliest), kept.upperBound)
        }
    }

    /// Notes that a client has disconnected.
    /// - Parameter position: the number of the last event that was sent to the client.
    func close(_ key: String, epoch: String, at position: UInt64) {
        state.withLock { state in
            guard state.epoch == epoch, let count = state.clients[key] else { return }
            state.clients[key] = count > 1 ? count - 1 : nil
            state.places[key] = max(state.places[key] ?? 0, position)
            guard state.places.count > Self.maxKeys else { return }
            state.places = state.places.filter { state.clients[$0.key] != nil }
        }
    }
}
