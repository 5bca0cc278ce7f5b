internal import Concurrency

/// The time after a wrong passphrase during which no passphrase is accepted. The time doubles after each wrong
/// passphrase, up to a limit. It is kept only in memory.
struct UnlockDelay: Sendable {
    struct Settings: Sendable {
        /// The time after the first wrong passphrase.
        var initialMicroseconds: Int64 = 1_000_000
        var maxMicroseconds: Int64 = 300_000_000
    }

    private var backoff: Backoff
    private var blockedUntilMicroseconds: Int64 = 0

    init(_ settings: Settings) {
        backoff = Backoff(
            initial: .microseconds(settings.initialMicroseconds),
            limit: .microseconds(settings.maxMicroseconds)
        )
    }

    /// Returns the time until a passphrase is accepted again, in microseconds.
    /// - Parameter now: microseconds of the monotonic clock.
    func remainingMicroseconds(at now: Int64) -> Int64 { max(0, blockedUntilMicroseconds - now) }

    mutating func recordFailure(at now: Int64) {
        blockedUntilMicroseconds = now + Int64(backoff.takeNextDelay() / .microseconds(1))
    }

    mutating func recordSuccess() {
        backoff.resetAttempts()
        blockedUntilMicroseconds = 0
    }
}
