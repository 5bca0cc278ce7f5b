import Glibc

/// Turns off Swift's report of a crash. The report lists the registers and the memory to which they point, which may
/// contain messages and keys.
enum CrashReports {
    /// The signals that end a crashed process.
    private static let crashSignals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Turns the report off, unless the environment variable removes the registers from the report.
    static func disableReports() {
        guard !hasNoRegisters(getenv("SWIFT_BACKTRACE").map { String(cString: $0) }) else { return }
        for number in crashSignals { signal(number, SIG_DFL) }
    }

    /// Whether the value of `SWIFT_BACKTRACE` removes the registers from the report. The last setting that begins with
    /// `registers=` or `preset=` counts.
    static func hasNoRegisters(_ settings: String?) -> Bool {
        settings?.split(separator: ",").last { $0.hasPrefix("registers=") || $0.hasPrefix("preset=") }
            == "registers=none"
    }
}
