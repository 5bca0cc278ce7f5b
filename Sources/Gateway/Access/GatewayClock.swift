internal import Clocks

/// The clock by which keys expire, wrong keys are forgotten, and long operations are kept.
struct GatewayClock: Sendable {
    /// Returns the seconds since 1970-01-01T00:00:00Z.
    var seconds: @Sendable () -> Int64
    /// Returns the microseconds since a fixed moment. The value never decreases.
    var monotonicMicroseconds: @Sendable () -> Int64
    /// Waits until a time, in seconds since 1970. Throws when the task is cancelled.
    var sleepUntil: @Sendable (_ end: Int64) async throws -> Void

    static let system = GatewayClock(
        seconds: { WallClock.seconds() },
        monotonicMicroseconds: { MonotonicClock.microseconds() },
        sleepUntil: { end in
            // A key file may contain a time that is centuries away, which no timer supports. So the wait has steps of
            // at most a day.
            while case let left = end - WallClock.seconds(), left > 0 {
                try await Task.sleep(for: .seconds(min(left, 86_400)))
            }
        }
    )
}
