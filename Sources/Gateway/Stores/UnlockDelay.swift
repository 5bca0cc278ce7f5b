internal import Concurrency

/// The time after wrong passphrases during which no passphrase is accepted. It doubles after each wrong one, up to a
/// limit, and is kept in memory.
struct UnlockDelay: Sendable {
    struct Settings: Sendable {
        /// Microseconds after the first wrong passphrase, and the maximal number.
        var first: Int64 = 1_000_000
        var most: Int64 = 300_000_000
    }

    private var backoff: Backoff
    private var until: Int64 = 0

    init(_ settings: Settings) {
        backoff = Backoff(initial: .microseconds(settings.first), limit: .microseconds(settings.most))
    }

    /// Microseconds left at a time of the monotonic clock.
    func remaining(at now: Int64) -> Int64 { max(0, until - now) }

    mutating func failed(at now: Int64) {
        until = now + Int64(backoff.next() / .microseconds(1))
    }

    mutating func succeeded() {
        backoff.reset()
        until = 0
    }
}
