import Glibc

/// The time since the start of the machine. It cannot be set, and never decreases.
package enum MonotonicClock {
    /// Returns the microseconds since a fixed moment.
    package static func microseconds() -> Int64 { nanoseconds() / 1000 }

    /// Returns the nanoseconds since a fixed moment.
    package static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
