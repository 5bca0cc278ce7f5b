/// How long nobody may try a passphrase after wrong ones: twice as long after each, up to a bound. Kept in memory.
struct UnlockDelay: Sendable {
    struct Settings: Sendable {
        /// Microseconds after the first wrong passphrase, and at most.
        var first: Int64 = 1_000_000
        var most: Int64 = 300_000_000
    }

    private let settings: Settings
    private var failures = 0
    private var until: Int64 = 0

    init(_ settings: Settings) { self.settings = settings }

    /// Microseconds left at a time of the monotonic clock.
    func remaining(at now: Int64) -> Int64 { max(0, until - now) }

    mutating func failed(at now: Int64) {
        let factor = Int64(1) << Int64(min(failures, 40))
        let (delay, overflow) = settings.first.multipliedReportingOverflow(by: factor)
        until = now + (overflow ? settings.most : min(delay, settings.most))
        failures += 1
    }

    mutating func succeeded() {
        failures = 0
        until = 0
    }
}
