#if canImport(Glibc)
    internal import Glibc
#endif

/// A clock that never goes back, and that also runs while the machine sleeps.
enum LeaseClock {
    static func nowMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    }
}
