import Synchronization

/// Decides whether the commit of a message with only receipts may be delayed. The relay delivers the next message of
/// the queue only after the commit. So after a delay without another commit, the next commits are not delayed for a
/// short time.
final class ReceiptDelayRule: Sendable {
    /// For each connection, the time at which the last delay of a commit ended without another commit.
    private let lastExpirations = Mutex<[ConnectionID: ContinuousClock.Instant]>([:])

    /// Time for which the commits of a connection are not delayed after a delay has ended without another commit.
    private static let pauseAfterExpiration = Duration.milliseconds(100)
    /// Maximal number of remembered connections.
    private static let maxConnections = 1024

    func mayDelay(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) -> Bool {
        lastExpirations.withLock { expired in
            guard let last = expired[connection] else { return true }
            return now - last > Self.pauseAfterExpiration
        }
    }

    /// Records that a delay of a commit of the connection has ended without another commit.
    func recordExpiration(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) {
        lastExpirations.withLock { expired in
            if expired.count >= Self.maxConnections { expired.removeAll() }
            expired[connection] = now
        }
    }
}
