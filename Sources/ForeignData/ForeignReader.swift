import CForeignData
import Glibc

/// The process that reads a foreign database. It has descriptors for the request, the answer and the file, and drops
/// all rights before it opens the file.
///
/// Namespaces are not used: many systems do not allow them. Besides, the filter of system calls leaves no right that
/// namespaces could remove.
package enum ForeignReader {
    /// The only argument of a program that runs as the reader.
    package static let readerArgument = "read-foreign-database"
    static let fileDescriptor: Int32 = 3

    package static func isReaderCommand(_ arguments: [String]) -> Bool {
        arguments.count == 2 && arguments[1] == readerArgument
    }

    /// Reads a foreign database, writes its contents to the output, and ends the process. Must be called before the
    /// program has a second thread.
    package static func runReader() -> Never {
        var answer = ReaderAnswer()
        do throws(ReaderFailure) {
            var status = stat()
            guard fstat(fileDescriptor, &status) == 0, let size = UInt64(exactly: status.st_size) else {
                throw ReaderFailure(.badRequest, "no file")
            }
            let seconds = ForeignLimits.minProcessorSeconds + size / ForeignLimits.fileBytesPerSecond
            if let fault = sxgw_confine(fileDescriptor, ForeignLimits.extraMemoryBytes, seconds) {
                throw ReaderFailure(.unconfined, String(cString: fault))
            }
            guard let request = ReaderRequest(readAllInput()) else {
                throw ReaderFailure(.badRequest, "the request comes from another version of this program")
            }
            try ForeignSource.readDatabase(request, &answer)
            answer.writeEnd()
        } catch { answer.writeFailure(error) }
        _exit(0)
    }

    private static func readAllInput() -> [UInt8] {
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= ForeignLimits.maxRequestBytes {
            let count = read(0, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return bytes
    }
}

struct ReaderFailure: Error {
    let fault: ReaderProtocol.Fault
    let reason: String

    init(_ fault: ReaderProtocol.Fault, _ reason: String) {
        self.fault = fault
        self.reason = reason
    }
}

/// Writes the output of the reader process to its parent process. If the parent has ended, a write ends this process.
struct ReaderAnswer {
    private var pendingBytes: [UInt8] = []
    private static let maxPendingBytes = 64 << 10

    mutating func writeOtherObject(_ name: String) {
        pendingBytes.append(ReaderProtocol.Tag.otherObject.rawValue)
        pendingBytes.putText(name, most: ForeignLimits.maxReasonBytes)
    }

    mutating func writeTable(_ number: Int, columns: [Int]?) {
        pendingBytes.append(ReaderProtocol.Tag.table.rawValue)
        pendingBytes.putNumber(UInt16(number))
        pendingBytes.putNumber(columns.map { UInt16($0.count) } ?? ReaderProtocol.columnCountOfMissingTable)
        for column in columns ?? [] { pendingBytes.putNumber(UInt16(column)) }
        flushIfFull()
    }

    mutating func writeRow() {
        pendingBytes.append(ReaderProtocol.Tag.row.rawValue)
        flushIfFull()
    }

    mutating func writeNull() { pendingBytes.append(ReaderProtocol.ValueKind.null.rawValue) }

    mutating func writeInteger(_ value: Int64) {
        pendingBytes.append(ReaderProtocol.ValueKind.integer.rawValue)
        pendingBytes.putNumber(value)
    }

    mutating func writeReal(_ value: Double) {
        pendingBytes.append(ReaderProtocol.ValueKind.real.rawValue)
        pendingBytes.putNumber(value.bitPattern)
    }

    mutating func writeBytes(_ kind: ReaderProtocol.ValueKind, _ value: UnsafeRawBufferPointer) {
        pendingBytes.append(kind.rawValue)
        pendingBytes.putNumber(UInt32(value.count))
        guard value.count > Self.maxPendingBytes else {
            pendingBytes += value
            return flushIfFull()
        }
        flush()
        Self.write(value)
    }

    mutating func writeEnd() {
        pendingBytes.append(ReaderProtocol.Tag.end.rawValue)
        flush()
    }

    mutating func writeFailure(_ failure: ReaderFailure) {
        pendingBytes.append(ReaderProtocol.Tag.failure.rawValue)
        pendingBytes.append(failure.fault.rawValue)
        pendingBytes.putText(failure.reason, most: ForeignLimits.maxReasonBytes)
        flush()
    }

    private mutating func flushIfFull() { if pendingBytes.count >= Self.maxPendingBytes { flush() } }

    private mutating func flush() {
        pendingBytes.withUnsafeBytes { Self.write($0) }
        pendingBytes.removeAll(keepingCapacity: true)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(1, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { _exit(1) }
            rest = rest.dropFirst(count)
        }
    }
}
