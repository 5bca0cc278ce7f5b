internal import Synchronization

/// The positions of clients of the socket at `/`, which have no cursors. The next client of a key begins where the last one
/// has ended, and the first one where the gateway has started: a bot that comes again misses nothing, as with the original.
final class TerminalPlaces: Sendable {
    /// The number of events that wait for a client. Earlier events are passed over: the protocol has no word for a gap.
    static let limit: UInt64 = 1024
    /// The number of keys whose places are kept while they have no clients.
    static let mostKeys = 1000

    private struct State {
        /// That of the journal: its numbers mean nothing in another one.
        var epoch: String
        /// For keys that had no client yet.
        var start: UInt64
        var places: [String: UInt64] = [:]
        var clients: [String: Int] = [:]
    }

    private let state: Mutex<State>

    init(epoch: String, start: UInt64) { state = Mutex(State(epoch: epoch, start: start)) }

    /// A client comes.
    /// - Parameters:
    ///   - key: names its key.
    ///   - kept: the numbers of the entries that are in the journal.
    /// - Returns: the number of the event after which it begins: the last one when another client of the key is there.
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

    /// A client that was opened has gone.
    /// - Parameter position: the number of the last event that it was sent.
    func close(_ key: String, epoch: String, at position: UInt64) {
        state.withLock { state in
            guard state.epoch == epoch, let count = state.clients[key] else { return }
            state.clients[key] = count > 1 ? count - 1 : nil
            state.places[key] = max(state.places[key] ?? 0, position)
            guard state.places.count > Self.mostKeys else { return }
            state.places = state.places.filter { state.clients[$0.key] != nil }
        }
    }
}
