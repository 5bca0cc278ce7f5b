/// The speed of the machine, for limits of waiting. A machine that runs much else, or has one core for many, is slow.
public enum MachineSpeed {
    private static let rounds = 400_000
    /// The time that the work takes on an idle core of a server of 2024.
    private static let usual = Duration.milliseconds(4)
    /// A machine that is slower than this by chance, or stands still, ends a test all the same.
    private static let slowest = 20.0

    /// The time that some work takes now, as a multiple of its usual time, from 1 to 20.
    public static func slowness() -> Double {
        let begin = ContinuousClock.now
        var value: UInt64 = 1
        for _ in 0..<rounds { value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        let ratio = (ContinuousClock.now - begin) / usual
        // The use of the value keeps the work from being left out.
        return value == 0 ? 1 : min(max(ratio, 1), slowest)
    }
}

/// Sleeps for a limit of waiting, and longer in proportion where the machine is slow at its end.
public func exhaust(_ limit: Duration) async throws {
    try await Task.sleep(for: limit)
    try await Task.sleep(for: limit * (MachineSpeed.slowness() - 1))
}
