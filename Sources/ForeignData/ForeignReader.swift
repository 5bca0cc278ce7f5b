import CForeignData
import Glibc

/// The process that reads a foreign database. It has descriptors for the request, the answer and the file, and drops
/// all rights before it opens the file.
///
/// Namespaces are not used: many systems do not allow them, and the filter of system calls leaves no right that they
/// could remove.
package enum ForeignReader {
    /// The only argument of a program that runs as the reader.
    package static let argument = "read-foreign-database"
    static let file: Int32 = 3

    package static func isReaderCommand(_ arguments: [String]) -> Bool {
        arguments.count == 2 && arguments[1] == argument
    }

    /// Runs the reader. Must be called before the program has a second thread.
    package static func run() -> Never {
        var answer = ReaderAnswer()
        do throws(ReaderFailure) {
            var status = stat()
            guard fstat(file, &status) == 0, let size = UInt64(exactly: status.st_size) else {
                throw ReaderFailure(.request, "no file")
            }
            let seconds = ForeignLimits.leastSeconds + size / ForeignLimits.bytesPerSecond
            if let fault = sxgw_confine(file, ForeignLimits.memory, seconds) {
                throw ReaderFailure(.unconfined, String(cString: fault))
            }
            guard let request = ReaderRequest(allOfInput()) else {
                throw ReaderFailure(.request, "the request comes from another version of this program")
            }
            try ForeignSource.read(request, &answer)
            answer.end()
        } catch { answer.fail(error) }
        _exit(0)
    }

    private static func allOfInput() -> [UInt8] {
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
    let fault: ReaderLanguage.Fault
    let reason: String

    init(_ fault: ReaderLanguage.Fault, _ reason: String) {
        self.fault = fault
        self.reason = reason
    }
}

/// The output of the reader. If the parent has ended, a write ends this process.
struct ReaderAnswer {
    private var pending: [UInt8] = []
    private static let bufferSize = 64 << 10

    mutating func other(_ name: String) {
        pending.append(ReaderLanguage.Tag.other.rawValue)
        pending.putWords(name, most: ForeignLimits.maxReasonBytes)
    }

    mutating func table(_ number: Int, columns: [Int]?) {
        pending.append(ReaderLanguage.Tag.table.rawValue)
        pending.put(UInt16(number))
        pending.put(columns.map { UInt16($0.count) } ?? ReaderLanguage.absent)
        for column in columns ?? [] { pending.put(UInt16(column)) }
        flushIfFull()
    }

    mutating func row() {
        pending.append(ReaderLanguage.Tag.row.rawValue)
        flushIfFull()
    }

    mutating func null() { pending.append(ReaderLanguage.Kind.null.rawValue) }

    mutating func integer(_ value: Int64) {
        pending.append(ReaderLanguage.Kind.integer.rawValue)
        pending.put(value)
    }

    mutating func real(_ value: Double) {
        pending.append(ReaderLanguage.Kind.real.rawValue)
        pending.put(value.bitPattern)
    }

    mutating func bytes(_ kind: ReaderLanguage.Kind, _ value: UnsafeRawBufferPointer) {
        pending.append(kind.rawValue)
        pending.put(UInt32(value.count))
        guard value.count > Self.bufferSize else {
            pending += value
            return flushIfFull()
        }
        flush()
        Self.write(value)
    }

    mutating func end() {
        pending.append(ReaderLanguage.Tag.end.rawValue)
        flush()
    }

    mutating func fail(_ failure: ReaderFailure) {
        pending.append(ReaderLanguage.Tag.failure.rawValue)
        pending.append(failure.fault.rawValue)
        pending.putWords(failure.reason, most: ForeignLimits.maxReasonBytes)
        flush()
    }

    private mutating func flushIfFull() { if pending.count >= Self.bufferSize { flush() } }

    private mutating func flush() {
        pending.withUnsafeBytes { Self.write($0) }
        pending.removeAll(keepingCapacity: true)
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
