internal import Clocks
internal import Files
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// The states of the source files at the time of a copy. If a file has not changed since then, the next copy gets a
/// hard link to the copied file. So a copy needs disk space only for changed files. Each copy is complete, also after
/// earlier copies were deleted.
///
/// The states are in the file `SOURCES` of the copy. A line has numbers (device, inode, size, times of the last write
/// and of the last change in nanoseconds) and the path in the copy.
final class CopySources: Sendable {
    static let fileName = "SOURCES"
    /// Maximal size of the file `SOURCES` in bytes.
    private static let maxFileBytes = 1 << 30
    /// Nanoseconds that must have passed since the last change of a file before the state of the file is recorded. File
    /// systems round the time of a change to milliseconds or seconds. So a second change soon after the first might not
    /// change the state.
    static let minAgeNanoseconds: Int64 = 2_000_000_000

    struct FileState: Sendable, Hashable {
        fileprivate var numbers: [Int64]

        /// Returns the state of a regular file; nil for anything else. Nothing may write to the file during the call.
        static func readState(_ path: String) -> FileState? {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
            return FileState(numbers: [
                Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
                Int64(status.st_size), nanoseconds(status.st_mtim), nanoseconds(status.st_ctim),
            ])
        }

        fileprivate var changeNanoseconds: Int64 { numbers[4] }
    }

    /// The folder of the earlier copy, whose unchanged files are shared; nil for a full copy.
    private let earlierCopy: String?
    private let earlierStates: [String: FileState]
    /// The hashes of the earlier copy's files, by their paths.
    private let earlierHashes: [String: [UInt8]]
    private let newStates = Mutex<(states: [String: FileState], shared: Set<String>)>(([:], []))

    private let minAgeNanoseconds: Int64
    /// The lock of the earlier copy. While it is held, no gateway can use the earlier copy as its data folder and
    /// change its files.
    private let copyLock: FileLock?

    /// Locks the earlier copy until this object is released. Blocks the thread.
    /// - Parameters:
    ///   - base: the folder of an earlier copy; nil for a full copy. The new copy shares its files only if its
    ///     `SHA256SUMS` is valid and lists `SOURCES`, and `SOURCES` can be read.
    ///   - settledAge: the nanoseconds that must have passed since the last change of a file before the state of the
    ///     file is recorded.
    /// - Throws: `ProblemDetails` when another process uses the earlier copy, or the earlier copy cannot be locked.
    init(base: String?, settledAge: Int64 = CopySources.minAgeNanoseconds) throws(ProblemDetails) {
        var lock: FileLock?
        if let folder = base, DiskFiles.isFolder(folder) {
            do throws(FileSystemError) { lock = try FileLock.tryAcquire(folder + "/.lock") } catch {
                throw ProblemDetails(
                    .invalidValue,
                    "The earlier copy cannot be locked, so its files cannot be shared: \(error)"
                )
            }
            guard lock != nil else {
                throw ProblemDetails(
                    .conflict,
                    "Another process uses the earlier copy \(folder): a gateway, a restoration or another backup."
                )
            }
        }
        self.earlierCopy = base
        self.copyLock = lock
        self.minAgeNanoseconds = settledAge
        guard let base, let hashes = try? CopyChecksums.readHashes(of: base), hashes[Self.fileName] != nil,
            let content = try? DiskFiles.readFile(base + "/" + Self.fileName, limit: Self.maxFileBytes)
        else {
            (earlierStates, earlierHashes) = ([:], [:])
            return
        }
        self.earlierHashes = hashes
        earlierStates = content.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { states, line in
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            let numbers = parts.prefix(5).compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
            guard parts.count == 6, numbers.count == 5 else { return }
            states[String(decoding: parts[5], as: UTF8.self)] = FileState(numbers: numbers)
        }
    }

    /// Whether a source file has not changed since the earlier copy was made.
    func isUnchanged(_ path: String, _ state: FileState) -> Bool {
        earlierStates[path] == state && earlierHashes[path] != nil
    }

    /// Makes a hard link in the new copy to a file of the earlier copy, if the source file has not changed.
    /// - Parameter path: the path in both copies.
    /// - Returns: false if the file must be copied, for example because the earlier copy is on another disk.
    func shareFile(_ path: String, _ state: FileState, in target: String) -> Bool {
        guard let earlierCopy, isUnchanged(path, state), DiskFiles.isFile(earlierCopy + "/" + path),
            link(earlierCopy + "/" + path, target + "/" + path) == 0
        else { return false }
        newStates.withLock { noted in
            noted.states[path] = state
            noted.shared.insert(path)
        }
        return true
    }

    /// Removes the hard links that ``shareFile(_:_:in:)`` has made in the new copy, so that the files are copied
    /// instead.
    func endSharing(_ paths: [String], in target: String) {
        newStates.withLock { noted in
            for path in paths {
                noted.states[path] = nil
                noted.shared.remove(path)
            }
        }
        for path in paths { DiskFiles.removeFile(target + "/" + path) }
    }

    /// Forgets the recorded states of the files below a folder, after these files were removed from the new copy.
    /// - Parameter prefix: the path of the folder in the copy, with a slash at its end.
    func removeStates(below prefix: String) {
        newStates.withLock { noted in
            noted.states = noted.states.filter { !$0.key.hasPrefix(prefix) }
            noted.shared = noted.shared.filter { !$0.hasPrefix(prefix) }
        }
    }

    /// Records the state that a source file had before it was copied. Does nothing for a file that was changed a short
    /// time ago; see ``minAgeNanoseconds``.
    func recordState(_ path: String, _ state: FileState) {
        guard state.changeNanoseconds <= WallClock.nanoseconds() - minAgeNanoseconds,
            !path.utf8.contains(UInt8(ascii: "\n"))
        else {
            return
        }
        newStates.withLock { $0.states[path] = state }
    }

    /// Writes the recorded states to the file `SOURCES` of the copy.
    func writeStates(to folder: String) throws(FileSystemError) {
        let states = newStates.withLock { $0.states }
        var text: [UInt8] = []
        for (path, state) in states.sorted(by: { $0.key < $1.key }) {
            text += (state.numbers.map { String($0) } + [path]).joined(separator: " ").utf8
            text.append(UInt8(ascii: "\n"))
        }
        try DiskFiles.createFile(folder + "/" + Self.fileName, text)
    }

    /// The hashes of the shared files, by their paths in the copy.
    var sharedHashes: [String: [UInt8]] {
        let shared = newStates.withLock { $0.shared }
        return earlierHashes.filter { shared.contains($0.key) }
    }
}
