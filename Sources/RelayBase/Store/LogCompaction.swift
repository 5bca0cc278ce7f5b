import Dispatch
import Glibc

/// Rewrites a log with only the records that are still needed, while the relay runs.
///
/// 1. Takes a snapshot of the relay's data together with its position in the log.
/// 2. Writes the snapshot to a new file.
/// 3. Appends the records that were logged after the snapshot: most of them while the relay logs further records, the
///    last ones between two commits.
/// 4. Replaces the old file by the new file. Until then the old file is complete, so a crash at any time loses nothing.
package struct LogCompaction: Sendable {
    /// The relay's data at one moment, with which the new log begins.
    package struct Snapshot: Sendable {
        /// The value of ``LogWriter/sizeWithPendingRecords`` at the snapshot. The value is read while no record can be
        /// appended. So the log up to this size contained exactly the data of the snapshot.
        let startOffset: Int64
        let writeRecords: @Sendable (inout Writer) throws(RelayStoreError) -> Void

        package init(start: Int64, write: @escaping @Sendable (inout Writer) throws(RelayStoreError) -> Void) {
            self.startOffset = start
            self.writeRecords = write
        }
    }

    /// Collects the records of the new log, and writes them in portions of about a megabyte.
    package struct Writer: ~Copyable {
        private let file: LogFile
        private var buffer: [UInt8] = []

        fileprivate init(_ file: LogFile) { self.file = file }

        /// Adds records to the new log.
        /// - Parameter append: a function that appends encoded records to the buffer.
        package mutating func addRecords(_ append: (inout [UInt8]) -> Void) throws(RelayStoreError) {
            append(&buffer)
            if buffer.count > 1 << 20 { try writeBuffer() }
        }

        fileprivate mutating func writeBuffer() throws(RelayStoreError) {
            try file.appendBytes(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
    }

    let log: LogWriter
    let path: String
    let logHeader: LogHeader

    private static let newFileSuffix = ".new"

    package init(log: LogWriter, path: String, _ format: LogHeader) {
        self.log = log
        self.path = path
        self.logHeader = format
    }

    /// Removes the unfinished new file that an interrupted compaction has left.
    package static func removePartialLog(_ path: String) { unlink(path + newFileSuffix) }

    /// Compacts the log. After a failure the new file is removed, because it takes space on a disk that may be full.
    package func compactLog(_ snapshot: Snapshot) async throws(RelayStoreError) {
        do throws(RelayStoreError) { try await rewriteLog(snapshot) } catch {
            Self.removePartialLog(path)
            throw error
        }
    }

    private func rewriteLog(_ snapshot: Snapshot) async throws(RelayStoreError) {
        let (path, newPath, format) = (path, path + Self.newFileSuffix, logHeader)
        try await Self.runInBackground { () throws(RelayStoreError) in
            let file = try LogFile.createLog(at: newPath, format)
            var writer = Writer(file)
            try snapshot.writeRecords(&writer)
            try writer.writeBuffer()
            // This sync of most of the new file runs in the background. So the last sync, just before the new file
            // replaces the old one, is short.
            try file.syncToDisk()
        }
        let written = try await log.runBetweenWrites { (file: inout LogFile) throws(RelayStoreError) in
            file.completeBytes
        }
        try await Self.runInBackground { () throws(RelayStoreError) in
            try LogFile.reopenLog(at: newPath).appendPart(
                from: LogFile.reopenLog(at: path),
                offset: snapshot.startOffset,
                count: written - snapshot.startOffset
            )
        }
        try await log.runBetweenWrites { (file: inout LogFile) throws(RelayStoreError) in
            let new = try LogFile.reopenLog(at: newPath)
            try new.appendPart(from: file, offset: written, count: file.completeBytes - written)
            try new.moveLogFile(to: path)
            file = new
        }
    }

    /// Runs `work` on a thread that may wait for the disk.
    private static func runInBackground(
        _ work: @escaping @Sendable () throws(RelayStoreError) -> Void
    ) async throws(RelayStoreError) {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, RelayStoreError>, Never>) in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: Result(catching: work)) }
        }
        try result.get()
    }
}
