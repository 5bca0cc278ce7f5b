internal import Concurrency

/// The time after a wrong passphrase during which no passphrase is accepted. The time doubles after each wrong
/// passphrase, up to a limit. It is kept only in memory.
struct UnlockDelay: Sendable {
    struct Settings: Sendable {
        /// The time after the first wrong passphrase, and the maximal time, in microseconds.
        var first: Int64 = 1_000_000
        var most: Int64 = 300_000_000
    }

    private var backoff: Backoff
    private var until: Int64 = 0

    init(_ settings: Settings) {
        backoff = Backoff(initial: .microseconds(settings.first), limit: .microseconds(settings.most))
    }

    /// Returns the time left, in microseconds.
    /// - Parameter now: microseconds of the monotonic clock.
    func remaining(at now: Int64) -> Int64 { max(0, until - now) }

    mutating func failed(at now: Int64) {
        until = now + Int64(backoff.next() / .microseconds(1))
    }

    mutating func succeeded() {
        backoff.reset()
        until = 0
    }
}
