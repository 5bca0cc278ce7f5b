import Synchronization

/// Decides whether the commit of a message with only receipts may be delayed. The relay delivers the next message of
/// the queue only after this commit. So after a delay in which no other commit took place, the next commits are not
/// delayed for a short time.
final class ReceiptDelayRule: Sendable {
    /// For each connection, the end of the last delay in which no other commit took place.
    private let lastDelayExpirations = Mutex<[ConnectionID: ContinuousClock.Instant]>([:])

    /// Time for which the commits of a connection are not delayed after a delay in which no other commit took place.
    private static let pauseAfterExpiration = Duration.milliseconds(100)
    /// Maximal number of remembered connections.
    private static let maxConnections = 1024

    func mayDelayCommit(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) -> Bool {
        lastDelayExpirations.withLock { expired in
            guard let last = expired[connection] else { return true }
            return now - last > Self.pauseAfterExpiration
        }
    }

    /// Stores the end of a delay in which no other commit took place.
    func recordDelayExpiration(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) {
        lastDelayExpirations.withLock { expired in
            if expired.count >= Self.maxConnections { expired.removeAll() }
            expired[connection] = now
        }
    }
}
