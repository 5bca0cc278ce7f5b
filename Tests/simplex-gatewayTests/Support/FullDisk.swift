import Foundation
import Glibc
import JSON

/// A simulated disk that becomes full after a number of writes, until the test frees space. The disk is one folder with
/// its contents. Processes with `environment` use it (`Fixtures/full-disk.c`).
final class FullDisk: Sendable {
    let environment: [String: String]
    private let controlDescriptor: Int32

    static let runsLongTests = ProcessInfo.processInfo.environment["SXGW_LONG_TESTS"] != nil

    /// Returns the numbers of writes after which the disk becomes full: with `SXGW_LONG_TESTS` each multiple of `step`,
    /// otherwise 1 and the given fractions of all writes.
    static func faultMoments(of writes: Int, every step: Int = 1, otherwise parts: [Double] = [0, 0.5, 0.9]) -> [Int] {
        if runsLongTests { return Array(stride(from: 0, through: max(0, writes), by: step)) }
        return Set(parts.map { Int(Double(writes) * $0) } + [1]).sorted()
    }

    /// Compiles the library that the processes load. `controlFolder` is a folder outside of the full one.
    init(of folder: String, controlFolder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let library = controlFolder + "/full-disk.so"
        try await PreloadedLibrary.compile("Tests/Fixtures/full-disk.c", to: library)
        controlDescriptor = open(controlFolder + "/full-disk", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        environment = [
            "LD_PRELOAD": library, "FULL_DISK_FOLDER": folder, "FULL_DISK_CONTROL": controlFolder + "/full-disk",
        ]
        guard controlDescriptor >= 0 else {
            throw Program.UnexpectedOutput(description: "no control file: \(String(cString: strerror(errno)))")
        }
        for (index, value) in [Int64(-1), 0, 0, .max, 0].enumerated() { setControl(value, at: index) }
    }

    deinit { close(controlDescriptor) }

    private func setControl(_ value: Int64, at index: Int) {
        _ = withUnsafeBytes(of: value) { pwrite(controlDescriptor, $0.baseAddress, $0.count, off_t(index * 8)) }
    }

    private func readControl(_ index: Int) -> Int64 {
        var value: Int64 = 0
        _ = withUnsafeMutableBytes(of: &value) { pread(controlDescriptor, $0.baseAddress, $0.count, off_t(index * 8)) }
        return value
    }

    /// Permits a number of writes from now on.
    /// - Parameter refusals: the number of refused writes after which there is free space again; nil if the test frees
    /// space.
    func fill(after writes: Int, refusing refusals: Int? = nil) {
        setControl(0, at: 2)
        setControl(0, at: 4)
        setControl(refusals.map(Int64.init) ?? .max, at: 3)
        setControl(Int64(writes), at: 0)
    }

    func freeSpace() { setControl(-1, at: 0) }

    /// Kills the process after a number of writes. The next process has free space when the test frees it.
    func killProcess(after writes: Int) {
        setControl(0, at: 2)
        setControl(1, at: 4)
        setControl(Int64(writes), at: 0)
    }

    /// Number of writes so far, including refused ones.
    var writeCount: Int { Int(readControl(1)) }

    /// Number of writes that were refused since the disk was last filled. The write at which a process was killed
    /// counts too.
    var refusalCount: Int { Int(readControl(2)) }
}
