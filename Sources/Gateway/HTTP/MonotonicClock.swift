#if canImport(Glibc)
    internal import Glibc
#endif

enum MonotonicClock {
    /// Returns the microseconds since a fixed moment. The value never decreases.
    static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    }
}

enum WallClock {
    /// Returns the seconds since 1970-01-01T00:00:00Z.
    static func seconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns the nanoseconds since 1970-01-01T00:00:00Z.
    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
