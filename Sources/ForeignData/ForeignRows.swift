import Files
import Glibc
package import SimpleXCrypto

/// The items of a foreign database, which are read one after the other. One thread uses an instance, and its calls
/// block this thread.
package struct ForeignRows: ~Copyable {
    private let process: ReaderProcess
    private var input: ReaderInput
    private let tables: [ForeignTable]
    private var tableIndex = -1
    private var columnCount = 0
    private var isAtEnd = false
    /// The numbers of rows (`maxRowsLeft`) and bytes (`maxBytesLeft`) that the reader may still send.
    private var maxRowsLeft: UInt64
    private var maxBytesLeft: UInt64
    private var otherObjectsLeft = ForeignLimits.maxOtherObjects

    /// Starts a reader process, which reads the file.
    /// - Parameters:
    ///   - path: the path of the file. A symbolic link is not followed.
    ///   - tables: the wanted tables.
    package init(_ path: String, key: KeyMaterial, _ tables: [ForeignTable], program: ReaderProgram) throws {
        let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        let size = UInt64(clamping: try file.readSize())
        let request = key.withSQLCipherForm { ReaderProtocol.encodeRequest(key: $0, tables) }
        process = try ReaderProcess(program, file: file, request: request)
        input = ReaderInput(
            process.outputDescriptor,
            silence: program.maxSilenceMilliseconds,
            until: .now + ForeignLimits.computeTimeLimit(size)
        )
        self.tables = tables
        // Without this limit, a small file could have any number of rows, since a page may be referenced more than
        // once.
        maxRowsLeft = size / ForeignLimits.minRowBytes
        maxBytesLeft = size
    }

    /// A function that ends the reading from another thread.
    var cancelFunction: @Sendable () -> Void { { [process] in process.cancelReading() } }

    /// Returns the next item of the database; nil after the last item.
    package mutating func readNextItem() throws(ForeignDataError) -> ForeignItem? {
        guard !isAtEnd else { return nil }
        do throws(ReaderInput.Fault) {
            guard let tag = ReaderProtocol.Tag(rawValue: try input.readByte()) else { throw .malformed }
            switch tag {
            case .otherObject:
                guard otherObjectsLeft > 0 else { throw .malformed }
                otherObjectsLeft -= 1
                return .otherObject(try input.readPrintableText())
            case .table: return try readNextTable()
            case .row: return try readNextRow()
            case .end:
                isAtEnd = true
                return nil
            case .failure: throw .readerFailure(try input.readFailure())
            }
        } catch { throw endAndConvert(error) }
    }

    private mutating func readNextTable() throws(ReaderInput.Fault) -> ForeignItem {
        let number = Int(try input.readNumber(as: UInt16.self)), count = try input.readNumber(as: UInt16.self)
        guard number > tableIndex, tables.indices.contains(number) else { throw .malformed }
        tableIndex = number
        columnCount = 0
        guard count != ReaderProtocol.columnCountOfMissingTable else { return .table(number, columns: nil) }
        var present: [Int] = []
        for _ in 0..<count {
            let column = Int(try input.readNumber(as: UInt16.self))
            guard tables[number].columns.indices.contains(column), column > present.last ?? -1 else { throw .malformed }
            present.append(column)
        }
        columnCount = present.count
        return .table(number, columns: present)
    }

    private mutating func readNextRow() throws(ReaderInput.Fault) -> ForeignItem {
        guard columnCount > 0 else { throw .malformed }
        guard maxRowsLeft > 0 else { throw .readerFailure(.tooLarge("its rows")) }
        maxRowsLeft -= 1
        var values: [ForeignValue] = [], size = 0
        values.reserveCapacity(columnCount)
        for _ in 0..<columnCount { values.append(try readNextValue(&size)) }
        return .row(values)
    }

    private mutating func readNextValue(_ size: inout Int) throws(ReaderInput.Fault) -> ForeignValue {
        guard let kind = ReaderProtocol.ValueKind(rawValue: try input.readByte()) else { throw .malformed }
        switch kind {
        case .null: return .null
        case .integer: return .integer(try input.readNumber(as: Int64.self))
        case .real: return .real(Double(bitPattern: try input.readNumber(as: UInt64.self)))
        case .text, .blob:
            let count = Int(try input.readNumber(as: UInt32.self))
            size += count
            guard count <= ForeignLimits.maxValueBytes, size <= ForeignLimits.maxRowBytes else {
                throw .readerFailure(.tooLarge("a row of \(tables[tableIndex].name)"))
            }
            guard UInt64(count) <= maxBytesLeft else { throw .readerFailure(.tooLarge("its values")) }
            maxBytesLeft -= UInt64(count)
            let bytes = try input.readBytes(count)
            return kind == .text ? .text(bytes) : .blob(bytes)
        }
    }

    private func endAndConvert(_ fault: ReaderInput.Fault) -> ForeignDataError {
        if case .outputEnded = fault { process.waitForEnd() }
        let signal = process.endProcess()
        guard !process.wasCancelled else { return .cancelled }
        switch fault {
        case .readerFailure(let error): return error
        case .outputEnded: return signal.map { .readerCrashed(signal: $0) } ?? .readerSilent
        case .outputSilent: return .readerSilent
        case .malformed: return .malformedOutput
        }
    }
}

/// Reads and parses the output of a reader process, in the parent process.
struct ReaderInput {
    enum Fault: Error {
        case readerFailure(ForeignDataError)
        case outputEnded
        case outputSilent
        case malformed
    }

    private let descriptor: Int32
    /// The time in milliseconds without output of the reader after which reading fails.
    private let maxSilenceMilliseconds: Int32
    private let deadline: ContinuousClock.Instant
    private var buffer: [UInt8] = []
    private var readPosition = 0
    private static let bufferSize = 64 << 10

    init(_ descriptor: Int32, silence: Int32, until deadline: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.maxSilenceMilliseconds = silence
        self.deadline = deadline
    }

    mutating func readByte() throws(Fault) -> UInt8 {
        if readPosition == buffer.count { try fillBuffer() }
        defer { readPosition += 1 }
        return buffer[readPosition]
    }

    mutating func readNumber<Number: FixedWidthInteger & UnsignedInteger>(as type: Number.Type) throws(Fault) -> Number
    {
        var value: Number = 0
        for place in 0..<Number.bitWidth / 8 { value |= Number(try readByte()) << Number(8 * place) }
        return value
    }

    mutating func readNumber(as type: Int64.Type) throws(Fault) -> Int64 {
        Int64(bitPattern: try readNumber(as: UInt64.self))
    }

    mutating func readBytes(_ count: Int) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            if readPosition == buffer.count { try fillBuffer() }
            let part = buffer[readPosition..<min(buffer.count, readPosition + count - bytes.count)]
            bytes += part
            readPosition += part.count
        }
        return bytes
    }

    /// Reads a text that is shown in errors and reports. All characters except printable ASCII become `?`, since the
    /// author of the database may have chosen the text.
    mutating func readPrintableText() throws(Fault) -> String {
        let count = Int(try readNumber(as: UInt16.self))
        guard count <= ForeignLimits.maxReasonBytes else { throw .malformed }
        let scalars = String(decoding: try readBytes(count), as: UTF8.self).unicodeScalars
        return String(scalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }

    mutating func readFailure() throws(Fault) -> ForeignDataError {
        guard let fault = ReaderProtocol.Fault(rawValue: try readByte()) else { throw .malformed }
        let reason = try readPrintableText()
        return switch fault {
        case .wrongKey: .wrongKey
        case .damaged: .fileDamaged(reason)
        case .tooLarge: .tooLarge(reason)
        case .unconfined: .readerUnconfined(reason)
        case .badRequest: .noReader(reason)
        }
    }

    private mutating func fillBuffer() throws(Fault) {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            guard .now < deadline else { throw .outputSilent }
            let ready = poll(&event, 1, maxSilenceMilliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw .outputSilent }
            var count = 0
            buffer = [UInt8](unsafeUninitializedCapacity: Self.bufferSize) { buffer, used in
                count = read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, count)
            }
            readPosition = 0
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .outputEnded }
            return
        }
    }
}
