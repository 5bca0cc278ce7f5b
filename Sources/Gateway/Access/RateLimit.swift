/// A limit on the rate of operations: a fixed number in each second. The operations that are allowed in one second may
/// also come all at once.
struct RateLimit: Sendable {
    private let perSecond: Int64
    /// Credit in microseconds. Each operation costs one second divided by the rate.
    private var creditMicroseconds: Int64
    private var lastMicroseconds: Int64?

    init(perSecond: Int64) {
        self.perSecond = perSecond
        creditMicroseconds = 1_000_000
    }

    /// Takes the credit for one operation.
    /// - Parameter now: microseconds of a monotonic clock.
    /// - Returns: whether the operation is allowed now.
    mutating func takeCredit(at now: Int64) -> Bool {
        creditMicroseconds = min(1_000_000, creditMicroseconds + max(0, now - (lastMicroseconds ?? now)))
        lastMicroseconds = now
        let price = 1_000_000 / perSecond
        guard creditMicroseconds >= price else { return false }
        creditMicroseconds -= price
        return true
    }
}
