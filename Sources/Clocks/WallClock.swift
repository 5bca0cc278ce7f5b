import Glibc

/// The time of day of the machine, in UTC. It can be set, so it may go back.
package enum WallClock {
    /// Returns the seconds since 1970-01-01T00:00:00Z.
    package static func seconds() -> Int64 { Int64(readTime().tv_sec) }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    package static func milliseconds() -> Int64 { nanoseconds() / 1_000_000 }

    /// Returns the nanoseconds since 1970-01-01T00:00:00Z.
    package static func nanoseconds() -> Int64 {
        let time = readTime()
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private static func readTime() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}
