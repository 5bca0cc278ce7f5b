import Synchronization

/// Decides whether the commit of a message with receipts only may be delayed. The relay delivers no other message of
/// the queue before it is acknowledged. So many such messages in sequence, without another commit, must not each wait
/// for the delay.
final class ReceiptPatience: Sendable {
    /// Time of the last wait of each connection that ended without another commit.
    private let expired = Mutex<[ConnectionID: ContinuousClock.Instant]>([:])

    /// Time for which a connection does not wait again after a wait without another commit.
    private static let pause = Duration.milliseconds(100)
    /// The maximum number of known connections.
    private static let limit = 1024

    func mayWait(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) -> Bool {
        expired.withLock { expired in
            guard let last = expired[connection] else { return true }
            return now - last > Self.pause
        }
    }

    /// Notes a wait that ended without another commit.
    func noteExpired(_ connection: ConnectionID, at now: ContinuousClock.Instant = .now) {
        expired.withLock { expired in
            if expired.count >= Self.limit { expired.removeAll() }
            expired[connection] = now
        }
    }
}
