import Synchronization

/// Decides whether the commit of a message with only receipts may be delayed. The relay delivers the next message of
/// the queue only after this commit. If no other commit ends a delay early, the next commits of the connection are not
/// delayed for a short time.
final class ReceiptDelayRule: Sendable {
    /// For each connection, the end of the last delay that passed without another commit.
    private let lastDelayExpirations = Mutex<[ConnectionID: ContinuousClock.Instant]>([:])

    /// Time for which commits of a connection are not delayed, from the end of a delay without another commit.
    private static let pauseAfterExpiration = Duration.milliseconds(100)
    /// Maximal number of remembered connections.
    private static let maxConnections = 1024

    func mayDelayCommit(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) -> Bool {
        lastDelayExpirations.withLock { expired in
            guard let last = expired[connection] else { return true }
            return now - last > Self.pauseAfterExpiration
        }
    }

    /// Stores the end of a delay that passed without another commit.
    func recordDelayExpiration(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) {
        lastDelayExpirations.withLock { expired in
            if expired.count >= Self.maxConnections { expired.removeAll() }
            expired[connection] = now
        }
    }
}
