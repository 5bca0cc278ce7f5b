import Foundation

/// The wall clock of processes with this `environment`, which a test can set (`deploy/soaking/clock.c`).
struct SetClock {
    let environment: [String: String]
    private let file: String

    /// Compiles the library that the processes load.
    init(in folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await PreloadedLibrary.compile("deploy/soaking/clock.c", to: folder + "/clock.so")
        file = folder + "/clock"
        try Data(count: 8).write(to: URL(fileURLWithPath: file))
        environment = ["LD_PRELOAD": folder + "/clock.so", "SOAK_CLOCK": file]
    }

    /// - Parameter seconds: the difference to the true time from now on.
    func setOffset(_ seconds: Int64) throws {
        // The file is written in place, since the processes have mapped it.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        try handle.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
    }
}
