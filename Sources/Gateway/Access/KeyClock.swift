/// The time by which keys expire and wrong keys are forgotten.
struct KeyClock: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    var seconds: @Sendable () -> Int64
    /// Microseconds since a fixed instant. The value never decreases.
    var microseconds: @Sendable () -> Int64
    /// Returns at that time, in seconds since 1970, or throws when the task is cancelled.
    var sleep: @Sendable (_ end: Int64) async throws -> Void

    static let system = KeyClock(
        seconds: { WallClock.seconds() },
        microseconds: { MonotonicClock.microseconds() },
        sleep: { end in
            // A key file may name a time that is centuries away, which no timer supports.
            while case let left = end - WallClock.seconds(), left > 0 {
                try await Task.sleep(for: .seconds(min(left, 86_400)))
            }
        }
    )
}
