import Glibc

/// Turns off the report that Swift prints at a crash. The report shows the registers and the memory to which they
/// point, which may contain messages and keys.
enum CrashReports {
    /// The signals that end a crashed process.
    private static let crashSignals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Turns the crash report off, except when the environment variable `SWIFT_BACKTRACE` removes the registers from
    /// it.
    static func disableReports() {
        guard !omitsRegisters(getenv("SWIFT_BACKTRACE").map { String(cString: $0) }) else { return }
        for number in crashSignals { signal(number, SIG_DFL) }
    }

    /// Returns whether a value of `SWIFT_BACKTRACE` removes the registers from the crash report. The last setting in
    /// the value that begins with `registers=` or `preset=` counts.
    static func omitsRegisters(_ settings: String?) -> Bool {
        settings?.split(separator: ",").last { $0.hasPrefix("registers=") || $0.hasPrefix("preset=") }
            == "registers=none"
    }
}
