import Testing

@testable import simplex_gateway

@Suite("Reports of crashes") struct CrashReportTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("enable=yes", false), ("registers=all", false), ("registers=none", true),
            ("enable=yes,registers=none,color=no", true),
            ("registers=none,registers=crashed", false), ("registers=none,preset=full", false),
            ("preset=full,registers=none", true),
        ] as [(String?, Bool)]
    )
    func `A crash report is written only if the settings for backtraces exclude the CPU registers`(
        text: String?,
        isAllowed: Bool
    ) {
        #expect(CrashReports.omitsRegisters(text) == isAllowed)
    }
}
