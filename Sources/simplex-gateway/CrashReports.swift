import Glibc

/// Swift's report of a crash lists the registers, and the memory to which they point: messages and keys may be in it.
enum CrashReports {
    /// The signals of crashes.
    private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Turns the report off, unless the environment says that it leaves the registers out.
    static func keepMemoryOut() {
        guard !hasNoRegisters(getenv("SWIFT_BACKTRACE").map { String(cString: $0) }) else { return }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Whether the value of `SWIFT_BACKTRACE` leaves the registers out: its last part about them says so.
    static func hasNoRegisters(_ settings: String?) -> Bool {
        settings?.split(separator: ",").last { $0.hasPrefix("registers=") || $0.hasPrefix("preset=") } == "registers=none"
    }
}
