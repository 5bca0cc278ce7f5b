package import Files
import Glibc
package import Logging

/// The reason why the files of a relay cannot be used.
package enum RelayStoreError: StorageError, Hashable, CustomStringConvertible {
    /// The operation on the file at this path failed with this `errno`.
    case inputOutput(path: String, code: Int32)
    /// Another process has the folder open.
    case inUse(path: String)
    /// The file is not a log of this program, or a later version has written it.
    case notALog(path: String)

    /// Whether the error means that the disk is full.
    package var isStorageFull: Bool {
        if case .inputOutput(_, let code) = self { FileSystemError.isFullDiskCode(code) } else { false }
    }

    package var description: String {
        switch self {
        case .inputOutput(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .inUse(let path): "another process uses \(path)"
        case .notALog(let path): "\(path) is not a log of this program, or a later version has written it"
        }
    }

    package init(_ error: FileSystemError) { self = .inputOutput(path: error.path, code: error.errnoCode) }
}

/// The first line of a log file, which states the kind of the log and the version of its format.
package struct LogHeader: Sendable {
    let currentLine: [UInt8]
    /// The first lines of earlier versions, which have the same length as the current line. Opening a log of an earlier
    /// version replaces its first line by the current line. So programs that do not know the newer records refuse the
    /// log, instead of cutting these records off.
    let earlierLines: [[UInt8]]

    /// Number of bytes of the first line.
    package var size: Int { currentLine.count }

    /// Makes the first lines of the current version and the earlier versions of a log.
    /// - Parameters:
    ///   - name: the kind of the log, such as `simplex-gateway relay log`.
    ///   - version: the current version, from 1 to 9. The earlier versions are all smaller numbers.
    package init(_ name: String, version: Int) {
        func line(_ version: Int) -> [UInt8] { Array("\(name) \(version)\n".utf8) }
        currentLine = line(version)
        earlierLines = (1..<max(version, 1)).map(line)
    }
}

/// The unreadable bytes after the last complete record of a log.
package struct LogDamage: Sendable, Hashable {
    package let byteCount: Int64
    /// Whether the bytes may be one record whose writing was interrupted when the process or the machine stopped.
    package let isUnfinishedRecord: Bool

    /// Reports in the program's log that these bytes were cut off when a relay opened its own log.
    /// - Parameter log: the kind of the relay's log, such as `log of files`.
    package func reportDamage(of log: String, _ logger: Logger) {
        guard byteCount > 0 else { return }
        if isUnfinishedRecord {
            logger.warning(
                "The \(log) ended with an incomplete record, which was removed.",
                metadata: ["bytes": "\(byteCount)"]
            )
        } else {
            logger.error(
                "The \(log) is damaged. Its content after the damage was moved to a file beside it with the suffix .damaged.",
                metadata: ["bytes": "\(byteCount)"]
            )
        }
    }
}

/// The file of a relay's log: a line with the format and version, then records.
///
/// A record consists of the length of its payload (4 bytes, little endian), the CRC-32C of the payload (4 bytes), and
/// the payload. One thread at a time may use an object, so ``LogWriter`` uses its file only on its own thread.
package final class LogFile {
    /// Number of bytes of a record before its payload: the length and the checksum.
    package static let recordHeaderBytes = 8
    /// Maximal number of bytes of a payload. When a log is read, a longer payload counts as damage.
    package static let maxPayloadBytes = 65536

    package private(set) var path: String
    private let descriptor: Int32
    /// Number of bytes from the beginning of the file to the end of its last complete record.
    package private(set) var completeBytes: Int64

    private init(path: String, descriptor: Int32, size: Int64) {
        (self.path, self.descriptor, self.completeBytes) = (path, descriptor, size)
    }

    deinit { close(descriptor) }

    /// Makes a new file, and removes an earlier file at the path.
    package static func createLog(at path: String, _ format: LogHeader) throws(RelayStoreError) -> LogFile {
        // Copies of the folder may share the earlier file by hard links, so it is removed and not overwritten.
        unlink(path)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inputOutput(path: path, code: errno) }
        let file = LogFile(path: path, descriptor: descriptor, size: 0)
        try file.appendBytes(format.currentLine)
        return file
    }

    /// Opens an existing log that is known to contain only complete records.
    package static func reopenLog(at path: String) throws(RelayStoreError) -> LogFile {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inputOutput(path: path, code: errno) }
        return LogFile(path: path, descriptor: descriptor, size: Int64(lseek(descriptor, 0, SEEK_END)))
    }

    /// Opens a log, passes the payload of each record to `apply`, and cuts off all bytes after the last complete
    /// record. Creates the file if it does not exist.
    /// - Parameter apply: a function that returns false for a payload that is not a record. This payload and all bytes
    ///   after it are cut off.
    /// - Returns: the file, and the number and kind of the bytes that were cut off.
    package static func openLog(
        at path: String,
        _ format: LogHeader,
        apply: (ArraySlice<UInt8>) -> Bool
    ) throws(RelayStoreError) -> (file: LogFile, lost: LogDamage) {
        let magic = format.currentLine
        guard access(path, F_OK) == 0 else {
            let file = try createLog(at: path, format)
            try file.syncToDisk()
            return (file, LogDamage(byteCount: 0, isUnfinishedRecord: true))
        }
        // The log may be a hard link to the log of another copy of the folder. So a separate file with the same
        // contents first replaces the link.
        do throws(FileSystemError) { try DiskFiles.breakHardLinks(path) } catch { throw RelayStoreError(error) }
        let (file, isEarlier, lost) = try readLog(path, O_RDWR, format, apply)
        if lost.byteCount > 0 {
            if file.completeBytes > 0 { try file.saveRemovedBytes(from: file.completeBytes, count: lost.byteCount) }
            try file.truncateToSize()
        }
        if file.completeBytes == 0 { try file.appendBytes(magic) }
        if isEarlier, pwrite(file.descriptor, magic, magic.count, 0) != magic.count { throw file.makeFailure() }
        try file.syncToDisk()
        return (file, lost)
    }

    /// Finds the bytes that ``openLog(at:_:apply:)`` would cut off, without a change of the file.
    /// - Returns: the number and kind of these bytes; nil when there is no log.
    package static func findDamage(
        at path: String,
        _ format: LogHeader,
        isRecord: (ArraySlice<UInt8>) -> Bool
    ) throws(RelayStoreError) -> LogDamage? {
        guard access(path, F_OK) == 0 else { return nil }
        return try readLog(path, O_RDONLY, format, isRecord).lost
    }

    /// Reads a log up to its last complete record. ``completeBytes`` of the returned file is the end of this record.
    private static func readLog(
        _ path: String,
        _ mode: Int32,
        _ format: LogHeader,
        _ apply: (ArraySlice<UInt8>) -> Bool
    ) throws(RelayStoreError) -> (file: LogFile, isEarlier: Bool, lost: LogDamage) {
        let magic = format.currentLine
        // Without `O_NONBLOCK`, opening a pipe would wait for its writer.
        let descriptor = Glibc.open(path, mode | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .inputOutput(path: path, code: errno) }
        let file = LogFile(path: path, descriptor: descriptor, size: 0)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .notALog(path: path) }
        let total = Int64(status.st_size)
        var start = [UInt8](repeating: 0, count: magic.count)
        let count = pread(descriptor, &start, start.count, 0)
        let isEarlier = format.earlierLines.contains(start)
        guard count == magic.count ? start == magic || isEarlier : magic.starts(with: start.prefix(max(count, 0)))
        else {
            throw .notALog(path: path)
        }
        var isTorn = true
        if count == magic.count {
            (file.completeBytes, isTorn) = try file.replayRecords(from: Int64(magic.count), to: total, apply)
        }
        return (file, isEarlier, LogDamage(byteCount: total - file.completeBytes, isUnfinishedRecord: isTorn))
    }

    // MARK: Reading

    /// Reads the records from `offset` on, up to the first incomplete or damaged record.
    /// - Returns: the offset of the incomplete or damaged record, and whether the bytes from there may be a part of one
    ///   record.
    private func replayRecords(
        from offset: Int64,
        to end: Int64,
        _ apply: (ArraySlice<UInt8>) -> Bool
    ) throws(RelayStoreError) -> (Int64, isTorn: Bool) {
        var good = offset
        var buffer: [UInt8] = []
        var index = 0
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let position = good + Int64(buffer.count - index)
            let count = pread(descriptor, &chunk, chunk.count, off_t(position))
            guard count >= 0 else { throw makeFailure() }
            if count == 0 { return (good, true) }
            buffer.removeFirst(index)
            index = 0
            buffer.append(contentsOf: chunk[0..<count])
            while let parsed = Self.parseRecord(in: buffer, at: index) {
                guard case .payload(let payload) = parsed, apply(payload) else {
                    // An interrupted write leaves at most one incomplete record. Further bytes mean damage.
                    if case .damaged(let size?) = parsed { return (good, good + Int64(size) >= end) }
                    if case .payload = parsed { return (good, false) }
                    return (good, end - good <= Int64(Self.recordHeaderBytes + Self.maxPayloadBytes))
                }
                let length = Self.recordHeaderBytes + payload.count
                index += length
                good += Int64(length)
            }
        }
    }

    private enum ParsedRecord {
        case payload(ArraySlice<UInt8>)
        /// The record is damaged. `size` is the size of the whole record; nil when the length is invalid.
        case damaged(size: Int?)
    }

    /// Parses the record at `index`; nil when the bytes end before the end of the record.
    private static func parseRecord(in bytes: [UInt8], at index: Int) -> ParsedRecord? {
        guard bytes.count - index >= recordHeaderBytes else { return nil }
        let (length, checksum) = bytes.withUnsafeBytes { raw in
            (
                Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt32.self))),
                UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
            )
        }
        guard length > 0, length <= maxPayloadBytes else { return .damaged(size: nil) }
        let start = index + recordHeaderBytes
        guard bytes.count - start >= length else { return nil }
        let payload = bytes[start..<(start + length)]
        return payload.withUnsafeBytes({ CRC32C.checksum($0) }) == checksum
            ? .payload(payload) : .damaged(size: recordHeaderBytes + length)
    }

    /// Copies a part of the log to a file beside the log, before the part is cut off. The part may contain more than
    /// one interrupted write.
    private func saveRemovedBytes(from offset: Int64, count: Int64) throws(RelayStoreError) {
        unlink(path + ".damaged")
        let copy = Glibc.open(path + ".damaged", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw makeFailure() }
        defer { close(copy) }
        try copyBytes(from: offset, count: count) { bytes in Glibc.write(copy, bytes.baseAddress, bytes.count) }
    }

    private func copyBytes(
        from offset: Int64,
        count: Int64,
        _ write: (UnsafeRawBufferPointer) -> Int
    ) throws(RelayStoreError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var done: Int64 = 0
        while done < count {
            let read = pread(descriptor, &chunk, min(chunk.count, Int(count - done)), off_t(offset + done))
            guard read > 0 else { throw makeFailure() }
            // A write may be partial. The loop then writes the remaining bytes. If the disk is full, this second write
            // reports the error.
            let written = chunk.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[0..<read])) }
            guard written > 0 else { throw makeFailure() }
            done += Int64(written)
        }
    }

    // MARK: Writing

    /// Appends a record to `bytes`. The function `write` appends the record's payload.
    @inlinable package static func appendRecord(to bytes: inout [UInt8], payload write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
        write(&bytes)
        let payload = start + recordHeaderBytes
        let length = UInt32(truncatingIfNeeded: bytes.count - payload)
        let checksum = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[payload...])) }
        bytes.withUnsafeMutableBytes { buffer in
            buffer.storeBytes(of: length.littleEndian, toByteOffset: start, as: UInt32.self)
            buffer.storeBytes(of: checksum.littleEndian, toByteOffset: start + 4, as: UInt32.self)
        }
    }

    /// Appends `bytes` to the file. After an error nothing is appended.
    package func appendBytes(_ bytes: [UInt8]) throws(RelayStoreError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                pwrite(
                    descriptor,
                    raw.baseAddress.map { $0 + done },
                    raw.count - done,
                    off_t(completeBytes) + off_t(done)
                )
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                let error = makeFailure()
                ftruncate(descriptor, off_t(completeBytes))
                throw error
            }
            done += count
        }
        completeBytes += Int64(bytes.count)
    }

    /// Appends a part of another log to this file.
    package func appendPart(from other: LogFile, offset: Int64, count: Int64) throws(RelayStoreError) {
        let start = completeBytes
        var copied: Int64 = 0
        try other.copyBytes(from: offset, count: count) { bytes in
            let written = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(start + copied))
            copied += Int64(max(written, 0))
            return written
        }
        completeBytes = start + copied
    }

    /// Removes the bytes that were appended after the file had `size` bytes.
    package func removeAppendedBytes(to size: Int64) {
        ftruncate(descriptor, off_t(size))
        self.completeBytes = size
    }

    /// Waits until all appended bytes are on the disk.
    package func syncToDisk() throws(RelayStoreError) {
        guard fdatasync(descriptor) == 0 else { throw makeFailure() }
    }

    /// Syncs the file, and renames it to `target`, where it replaces an existing file. The renaming survives a crash of
    /// the machine. No error is thrown after the renaming. Otherwise the writer would continue with the replaced file,
    /// and later records would be lost.
    package func moveLogFile(to target: String) throws(RelayStoreError) {
        try syncToDisk()
        do throws(FileSystemError) { try DiskFiles.rename(path, to: target) } catch { throw RelayStoreError(error) }
        path = target
        DiskFiles.syncParentFolder(of: target)
    }

    private func truncateToSize() throws(RelayStoreError) {
        guard ftruncate(descriptor, off_t(completeBytes)) == 0 else { throw makeFailure() }
    }

    private func makeFailure() -> RelayStoreError { .inputOutput(path: path, code: errno) }
}
