import Glibc

/// Returns the present time in seconds since 1970.
func currentSeconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec)
}
