/// The clock by which keys expire, wrong keys are forgotten, and long operations are kept.
struct KeyClock: Sendable {
    /// Returns the seconds since 1970-01-01T00:00:00Z.
    var seconds: @Sendable () -> Int64
    /// Returns the microseconds since a fixed moment. The value never decreases.
    var microseconds: @Sendable () -> Int64
    /// Waits until a time, in seconds since 1970. Throws when the task is cancelled.
    var sleep: @Sendable (_ end: Int64) async throws -> Void

    static let system = KeyClock(
        seconds: { WallClock.seconds() },
        microseconds: { MonotonicClock.microseconds() },
        sleep: { end in
            // A key file may contain a time that is centuries away, which no timer supports. So the wait has steps of
            // at most a day.
            while case let left = end - WallClock.seconds(), left > 0 {
                try await Task.sleep(for: .seconds(min(left, 86_400)))
            }
        }
    )
}
