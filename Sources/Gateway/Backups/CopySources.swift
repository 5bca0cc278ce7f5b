internal import Files
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// The states of the files from which a copy was made. The next copy shares the files that have not changed since with
/// this copy, as further names of the same files (hard links). So a copy needs disk space only for changed files. It is
/// complete nevertheless: earlier copies can be deleted.
///
/// The states are in the file `SOURCES` of the copy. A line has numbers (device, inode, size, times of the last write
/// and of the last change in nanoseconds) and the path in the copy.
final class CopySources: Sendable {
    static let fileName = "SOURCES"
    /// Maximal size of the file in bytes.
    private static let maxFileBytes = 1 << 30
    /// The age in nanoseconds that the last change of a file must have when its state is noted. File systems round the
    /// time of a change to milliseconds or seconds, so another change soon afterwards could leave the same state.
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

    /// The earlier copy; nil for a full copy.
    private let earlierCopy: String?
    private let earlierStates: [String: FileState]
    /// The hashes of the earlier copy's files, by their paths.
    private let earlierHashes: [String: [UInt8]]
    private let newStates = Mutex<(states: [String: FileState], shared: Set<String>)>(([:], []))

    private let minAgeNanoseconds: Int64
    /// The lock that a gateway holds while it uses the earlier copy as its data folder. It prevents such a gateway from
    /// changing files of the copy.
    private let copyLock: FileLock?

    /// Locks the earlier copy until this object is released. Blocks the thread.
    /// - Parameter base: the folder of an earlier copy; nil for a full copy. From a copy without a valid list of its
    ///   contents, and from a copy of an earlier version, nothing is shared.
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

    /// Whether the source of a file has not changed since the earlier copy.
    func isUnchanged(_ path: String, _ state: FileState) -> Bool {
        earlierStates[path] == state && earlierHashes[path] != nil
    }

    /// Gives the file of the earlier copy a further name in the new copy.
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

    /// Removes the names that ``shareFile(_:_:in:)`` has given to files in the new copy, so that these files are
    /// copied.
    func endSharing(_ paths: [String], in target: String) {
        newStates.withLock { noted in
            for path in paths {
                noted.states[path] = nil
                noted.shared.remove(path)
            }
        }
        for path in paths { DiskFiles.removeFile(target + "/" + path) }
    }

    /// Forgets the files below a folder of the new copy, which were removed.
    /// - Parameter prefix: the path of the folder in the copy, with a slash at its end.
    func removeStates(below prefix: String) {
        newStates.withLock { noted in
            noted.states = noted.states.filter { !$0.key.hasPrefix(prefix) }
            noted.shared = noted.shared.filter { !$0.hasPrefix(prefix) }
        }
    }

    /// Notes the state of a source before it was copied.
    func recordState(_ path: String, _ state: FileState) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
        guard state.changeNanoseconds <= time - minAgeNanoseconds, !path.utf8.contains(UInt8(ascii: "\n")) else {
            return
        }
        newStates.withLock { $0.states[path] = state }
    }

    /// Writes the states into the copy.
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
