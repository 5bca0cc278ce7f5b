import Synchronization

/// The relays of which it was logged that they were lost or cannot be reached, so that each is logged once, and once more when it is found.
final class RelayTroubles: Sendable {
    private let relays = Mutex<Set<RelayClients.Key>>([])

    /// - Returns: whether it is new.
    func begin(_ relay: RelayClients.Key) -> Bool { relays.withLock { $0.insert(relay).inserted } }

    /// - Returns: whether there was any.
    func end(_ relay: RelayClients.Key) -> Bool { relays.withLock { $0.remove(relay) != nil } }
}
