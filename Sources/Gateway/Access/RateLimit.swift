/// A limit on the rate of operations: a fixed number in each second. The operations that are allowed in one second may
/// also come all at once.
struct RateLimit: Sendable {
    private let perSecond: Int64
    /// Credit in microseconds. Each operation costs one second divided by the rate.
    private var saved: Int64
    private var last: Int64?

    init(perSecond: Int64) {
        self.perSecond = perSecond
        saved = 1_000_000
    }

    /// Takes the credit for one operation.
    /// - Parameter now: microseconds of a monotonic clock.
    /// - Returns: whether the operation is allowed now.
    mutating func takeCredit(at now: Int64) -> Bool {
        saved = min(1_000_000, saved + max(0, now - (last ?? now)))
        last = now
        let price = 1_000_000 / perSecond
        guard saved >= price else { return false }
        saved -= price
        return true
    }
}
