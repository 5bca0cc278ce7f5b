/// The speed of the machine, which lengthens time limits. A machine is slow if it does much other work, or if one core
/// serves many tasks.
package enum MachineSpeed {
    private static let workRounds = 400_000
    /// The time that the work of `workRounds` takes on an idle core of a server of 2024.
    private static let usualTime = Duration.milliseconds(4)
    /// The greatest factor. A test that must fail also ends on a machine that is slower than this factor or does not
    /// respond.
    private static let maxSlowness = 20.0

    /// Measures the time that the work of `workRounds` takes now, as a multiple of `usualTime`, from 1 to
    /// `maxSlowness`.
    package static func measureSlowness() -> Double {
        let begin = ContinuousClock.now
        var value: UInt64 = 1
        for _ in 0..<workRounds { value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        let ratio = (ContinuousClock.now - begin) / usualTime
        // The value is used, so that the compiler does not remove the work.
        return value == 0 ? 1 : min(max(ratio, 1), maxSlowness)
    }
}

/// Sleeps for a time limit. If the machine is slow at the end of this time, sleeps proportionally longer.
package func sleepThroughLimit(_ limit: Duration) async throws {
    try await Task.sleep(for: limit)
    try await Task.sleep(for: limit * (MachineSpeed.measureSlowness() - 1))
}
