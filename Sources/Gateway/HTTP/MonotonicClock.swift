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
