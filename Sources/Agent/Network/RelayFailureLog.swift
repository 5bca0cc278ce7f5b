import Synchronization

/// The lost sessions, and the sessions that could not be opened, by relay. The log reports each relay once, and once
/// more when all its sessions are open again.
final class RelayFailureLog: Sendable {
    private let lostSessions = Mutex<[RelayClients.Key: Set<RelayClients.SessionKey>]>([:])

    /// Counts a session as lost, after its loss or a failed attempt to open it.
    /// - Returns: whether the relay had no lost session before.
    func recordLostSession(_ session: RelayClients.SessionKey) -> Bool {
        lostSessions.withLock { relays in
            let isFirst = relays[session.relay] == nil
            relays[session.relay, default: []].insert(session)
            return isFirst
        }
    }

    /// Counts a session as restored, after it was opened again.
    /// - Parameter sessions: a function that returns the present sessions. Lost sessions that are not among them are
    ///   forgotten.
    /// - Returns: whether the relay had lost sessions before, and has none now.
    func recordRestoredSession(
        _ session: RelayClients.SessionKey,
        among sessions: () -> [RelayClients.SessionKey]
    ) -> Bool {
        lostSessions.withLock { relays in
            guard var troubled = relays[session.relay] else { return false }
            troubled.remove(session)
            if !troubled.isEmpty { troubled.formIntersection(sessions()) }
            relays[session.relay] = troubled.isEmpty ? nil : troubled
            return troubled.isEmpty
        }
    }
}
