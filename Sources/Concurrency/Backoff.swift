/// Delays between attempts. Each delay is longer than the previous one by a factor, up to a limit. It also varies at
/// random, so that clients that failed at the same time do not retry at the same time.
package struct Backoff: Sendable {
    package var initialDelay: Duration
    package var delayFactor: Double
    package var maxDelay: Duration
    /// The range of the random factor by which each delay is multiplied. A delay can therefore exceed ``maxDelay``.
    package var jitter: ClosedRange<Double>
    private var attemptCount = 0

    package init(initial: Duration, factor: Double = 2, limit: Duration, jitter: ClosedRange<Double> = 1...1) {
        self.initialDelay = initial
        self.delayFactor = factor
        self.maxDelay = limit
        self.jitter = jitter
    }

    /// Returns the delay before a repetition. `attempt` is the number of earlier repetitions.
    package func computeDelay(attempt: Int) -> Duration {
        var random = SystemRandomNumberGenerator()
        return computeDelay(attempt: attempt, using: &random)
    }

    package func computeDelay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var delay = initialDelay / .seconds(1)
        let limit = maxDelay / .seconds(1)
        var step = 0
        while step < attempt, delay < limit {
            delay *= delayFactor
            step += 1
        }
        return .seconds(
            min(delay, limit)
                * (jitter.lowerBound < jitter.upperBound
                    ? Double.random(in: jitter, using: &random) : jitter.lowerBound)
        )
    }

    /// Returns the delay before the next attempt, and counts this attempt. The delays grow with the number of attempts
    /// since the last ``resetAttempts()``.
    package mutating func takeNextDelay() -> Duration {
        defer { attemptCount += 1 }
        return computeDelay(attempt: attemptCount)
    }

    /// Resets the delay after a success, so that the next delay is the shortest one.
    package mutating func resetAttempts() { attemptCount = 0 }
}
