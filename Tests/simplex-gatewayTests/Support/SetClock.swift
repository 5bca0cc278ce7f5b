import Foundation

/// The wall clock of processes that are started with its `environment`, which can be set (`deploy/soaking/clock.c`).
struct SetClock {
    let environment: [String: String]
    private let file: String

    /// Compiles what the processes load.
    init(in folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await Preloaded.compile("deploy/soaking/clock.c", to: folder + "/clock.so")
        file = folder + "/clock"
        try Data(count: 8).write(to: URL(fileURLWithPath: file))
        environment = ["LD_PRELOAD": folder + "/clock.so", "SOAK_CLOCK": file]
    }

    /// - Parameter seconds: how far it is ahead of the true time from now on.
    func set(_ seconds: Int64) throws {
        // In place: the processes have the file mapped.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        try handle.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
    }
}
