#if canImport(Glibc)
    internal import Glibc
#endif

/// Reads the only file of a form (`multipart/form-data`, RFC 7578) while the form arrives. Other fields are skipped.
struct MultipartReader: Sendable {
    struct Fault: Error, Sendable {
        let text: String
    }

    private enum State { case outside, afterDelimiter, headers, file, otherField, end }

    /// The delimiter with the preceding line break. The first delimiter of a form has no preceding line break, so the
    /// buffer begins with one.
    private let delimiter: [UInt8]
    private var state = State.outside
    private var buffer: [UInt8] = Array("\r\n".utf8)
    private(set) var fileName: String?
    private var hasFile = false

    /// Maximal number of bytes in the headers of a field.
    private static let maxHeaderBytes = 8 << 10

    /// Makes a reader for a media type.
    /// - Returns: nil for a type without a valid boundary.
    init?(contentType: String) {
        guard let boundary = Self.parseParameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), boundary.last != " "
        else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Reads the next bytes of the form.
    /// - Returns: the bytes of the file among these bytes. The last bytes may be returned by a later call.
    mutating func readFileBytes(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        buffer += bytes
        var file: [UInt8] = []
        var start = 0
        loop: while true {
            switch state {
            case .outside, .file, .otherField:
                let place = findPattern(of: delimiter, from: start)
                // The last bytes stay in the buffer, because they may be the beginning of a delimiter.
                let end = place ?? max(buffer.count - delimiter.count + 1, start)
                if state == .file { file += buffer[start..<end] }
                start = end
                guard place != nil else { break loop }
                start += delimiter.count
                state = .afterDelimiter
            case .afterDelimiter:
                while start < buffer.count, buffer[start] == 0x20 || buffer[start] == 0x09 { start += 1 }
                guard buffer.count - start >= 2 else { break loop }
                switch (buffer[start], buffer[start + 1]) {
                case (0x2D, 0x2D): state = .end
                case (0x0D, 0x0A): state = .headers
                default: throw Fault(text: "A boundary of the form is not at the end of its line.")
                }
                // The line break after a delimiter stays in the buffer. So the end of the headers is found even if a
                // field has no headers.
                if state == .end { start += 2 }
            case .headers:
                guard let place = findPattern(of: [0x0D, 0x0A, 0x0D, 0x0A], from: start) else {
                    guard buffer.count - start <= Self.maxHeaderBytes else {
                        throw Fault(text: "The headers of a field are too long.")
                    }
                    break loop
                }
                try parseFieldHeaders(String(decoding: buffer[start..<place], as: UTF8.self))
                start = place + 4
            case .end:
                start = buffer.count
                break loop
            }
        }
        buffer.removeFirst(start)
        return file
    }

    /// Checks that the form is complete and has a file.
    func checkEnd() throws(Fault) {
        guard case .end = state else { throw Fault(text: "The form is not complete.") }
        guard hasFile else { throw Fault(text: "The form has no file.") }
    }

    private mutating func parseFieldHeaders(_ headers: String) throws(Fault) {
        for line in headers.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-disposition" else {
                continue
            }
            let value = String(line[line.index(after: colon)...])
            guard let name = Self.parseParameter("filename", of: value) else { continue }
            guard !hasFile else { throw Fault(text: "The form has more than one file.") }
            (hasFile, fileName) = (true, name)
            state = .file
            return
        }
        state = .otherField
    }

    private func findPattern(of pattern: [UInt8], from start: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var place = start
            while bytes.count - place >= pattern.count {
                // Delimiters begin with a carriage return.
                guard let found = memchr(base + place, Int32(pattern[0]), bytes.count - place - pattern.count + 1)
                else { return nil }
                place = UnsafeRawPointer(found) - base
                if memcmp(base + place, pattern, pattern.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }

    /// Returns the value of a parameter of a header field, with or without quotes.
    private static func parseParameter(_ name: String, of field: String) -> String? {
        var rest = field[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
            guard let equals = rest.firstIndex(of: "="), rest[..<equals].allSatisfy({ $0 != ";" && $0 != "\"" }) else {
                continue
            }
            let key = rest[..<equals].trimmingSpaces.lowercased()
            rest = rest[rest.index(after: equals)...]
            var value = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    if character == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
                        value.append(escaped)
                        rest.removeFirst()
                    } else {
                        value.append(character)
                    }
                }
            } else {
                value = String(rest.prefix { $0 != ";" }).trimmingSpaces
            }
            if key == name { return value }
        }
        return nil
    }
}
