/// Delays between attempts. Each delay is longer than the previous one by a factor, up to a limit. It also varies at
/// random, so that clients that failed at the same time do not retry at the same time.
package struct Backoff: Sendable {
    package var initialDelay: Duration
    package var factor: Double
    package var maxDelay: Duration
    /// The range of the random factor of each delay, which also applies to the limit.
    package var jitter: ClosedRange<Double>
    private var attempt = 0

    package init(initial: Duration, factor: Double = 2, limit: Duration, jitter: ClosedRange<Double> = 1...1) {
        self.initialDelay = initial
        self.factor = factor
        self.maxDelay = limit
        self.jitter = jitter
    }

    /// Returns the delay before repetition `attempt`, where 0 is the first repetition.
    package func delay(attempt: Int) -> Duration {
        var random = SystemRandomNumberGenerator()
        return delay(attempt: attempt, using: &random)
    }

    package func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var delay = initialDelay / .seconds(1)
        let limit = maxDelay / .seconds(1)
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

    /// Returns the delay before the next attempt, counted since the last ``reset()``.
    package mutating func nextDelay() -> Duration {
        defer { attempt += 1 }
        return delay(attempt: attempt)
    }

    /// Resets the delay after a success, so that the next delay is the shortest one.
    package mutating func reset() { attempt = 0 }
}
