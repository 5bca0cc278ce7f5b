import Glibc

/// The time since the start of the machine, which also passes while the machine sleeps. It cannot be set, and never
/// decreases.
package enum LeaseClock {
    /// Returns the microseconds since a fixed moment.
    package static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    }
}
