/// Delays between attempts: each longer than the previous one by a factor, up to a limit, and varied at random, so that
/// clients that failed at the same time do not retry at the same time.
public struct Backoff: Sendable {
    public var initial: Duration
    public var factor: Double
    public var limit: Duration
    /// The random factor of each delay, including the limit.
    public var jitter: ClosedRange<Double>
    private var attempt = 0

    public init(initial: Duration, factor: Double = 2, limit: Duration, jitter: ClosedRange<Double> = 1...1) {
        self.initial = initial
        self.factor = factor
        self.limit = limit
        self.jitter = jitter
    }

    /// The delay before attempt `attempt`, 0 being the first repetition.
    public func delay(attempt: Int) -> Duration {
        var random = SystemRandomNumberGenerator()
        return delay(attempt: attempt, using: &random)
    }

    public func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var delay = initial / .seconds(1)
        let limit = limit / .seconds(1)
        var step = 0
        while step < attempt, delay < limit {
            delay *= factor
            step += 1
        }
        return .seconds(
            min(delay, limit)
                * (jitter.lowerBound < jitter.upperBound
                    ? Double.random(in: jitter, using: &random) : jitter.lowerBound)
        )
    }

    /// The delay before the next attempt, counted since the last ``reset()``.
    public mutating func next() -> Duration {
        defer { attempt += 1 }
        return delay(attempt: attempt)
    }

    /// An attempt has succeeded.
    public mutating func reset() { attempt = 0 }
}
