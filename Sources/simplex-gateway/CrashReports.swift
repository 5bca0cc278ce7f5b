import Glibc

/// Swift's report of a crash lists the registers and the memory to which they point. This memory may contain messages
/// and keys.
enum CrashReports {
    /// The signals of crashes.
    private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Turns the report off, unless the environment says that it leaves the registers out.
    static func keepMemoryOut() {
        guard !hasNoRegisters(getenv("SWIFT_BACKTRACE").map { String(cString: $0) }) else { return }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Whether the value of `SWIFT_BACKTRACE` leaves the registers out. The last setting that begins with `registers=`
    /// or `preset=` counts.
    static func hasNoRegisters(_ settings: String?) -> Bool {
        settings?.split(separator: ",").last { $0.hasPrefix("registers=") || $0.hasPrefix("preset=") }
            == "registers=none"
    }
}
