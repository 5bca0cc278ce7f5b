import Foundation
import Glibc
import JSON

/// A disk that gets full after so many writes and has room again when it is said, for processes that are started with its `environment`
/// (`Fixtures/full-disk.c`). One folder with all in it is on that disk.
final class FullDisk: Sendable {
    let environment: [String: String]
    private let control: Int32

    static let isLong = ProcessInfo.processInfo.environment["SXGW_LONG_TESTS"] != nil

    /// After how many writes the disk is full: with `SXGW_LONG_TESTS` after any of them, or every so many, otherwise after these parts of them.
    static func moments(of writes: Int, every step: Int = 1, otherwise parts: [Double] = [0, 0.5, 0.9]) -> [Int] {
        if isLong { return Array(stride(from: 0, through: max(0, writes), by: step)) }
        return Set(parts.map { Int(Double(writes) * $0) } + [1]).sorted()
    }

    /// Compiles what the processes load. `place` is a folder outside of the one that is full.
    init(of folder: String, place: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let library = place + "/full-disk.so"
        try await Preloaded.compile("Tests/Fixtures/full-disk.c", to: library)
        control = open(place + "/full-disk", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        environment = ["LD_PRELOAD": library, "FULL_DISK_FOLDER": folder, "FULL_DISK_CONTROL": place + "/full-disk"]
        guard control >= 0 else { throw Program.Unexpected(description: "no control file: \(String(cString: strerror(errno)))") }
        for (index, value) in [Int64(-1), 0, 0, .max, 0].enumerated() { set(value, at: index) }
    }

    deinit { close(control) }

    private func set(_ value: Int64, at index: Int) {
        _ = withUnsafeBytes(of: value) { pwrite(control, $0.baseAddress, $0.count, off_t(index * 8)) }
    }

    private func get(_ index: Int) -> Int64 {
        var value: Int64 = 0
        _ = withUnsafeMutableBytes(of: &value) { pread(control, $0.baseAddress, $0.count, off_t(index * 8)) }
        return value
    }

    /// From now on there is room for so many writes.
    /// - Parameter refusals: after how many refused ones there is room again; nil when it is said.
    func fill(after writes: Int, refusing refusals: Int? = nil) {
        set(0, at: 2)
        set(0, at: 4)
        set(refusals.map(Int64.init) ?? .max, at: 3)
        set(Int64(writes), at: 0)
    }

    func makeRoom() { set(-1, at: 0) }

    /// The process is killed at the write after so many. The disk has room for the next process once that is said.
    func kill(after writes: Int) {
        set(0, at: 2)
        set(1, at: 4)
        set(Int64(writes), at: 0)
    }

    /// Writes so far, refused ones among them.
    var writes: Int { Int(get(1)) }

    /// Writes that were refused since the disk was last filled; the one at which a process was killed counts.
    var refusals: Int { Int(get(2)) }
}
