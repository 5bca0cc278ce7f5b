import Synchronization

/// The sessions that were lost or could not be opened, by relay, so that the log reports each relay once, and once more
/// when all its sessions are open again.
final class RelayTroubles: Sendable {
    private let relays = Mutex<[RelayClients.Key: Set<RelayClients.SessionKey>]>([:])

    /// - Returns: whether no other session of the relay was in trouble.
    func begin(_ session: RelayClients.SessionKey) -> Bool {
        relays.withLock { relays in
            let isFirst = relays[session.relay] == nil
            relays[session.relay, default: []].insert(session)
            return isFirst
        }
    }

    /// - Parameter sessions: the present sessions. A session that was given up no longer counts as in trouble.
    /// - Returns: whether this was the last one of the relay that was in trouble.
    func end(_ session: RelayClients.SessionKey, among sessions: () -> [RelayClients.SessionKey]) -> Bool {
        relays.withLock { relays in
            guard var troubled = relays[session.relay] else { return false }
            troubled.remove(session)
            if !troubled.isEmpty { troubled.formIntersection(sessions()) }
            relays[session.relay] = troubled.isEmpty ? nil : troubled
            return troubled.isEmpty
        }
    }
}
