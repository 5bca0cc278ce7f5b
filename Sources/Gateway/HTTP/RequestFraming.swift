/// The reason to refuse a request whose bytes a proxy may interpret as a different request.
package struct FramingDefect: Error, Sendable, Equatable {
    package let status: Int
    package let text: String

    static func badRequest(_ text: String) -> FramingDefect { FramingDefect(status: 400, text: text) }
}

/// The checks of RFC 9112, sections 2 to 6, that the HTTP library leaves out.
enum RequestFraming {
    /// Maximal number of header fields, and maximal number of parameters in the query.
    static let maxHeadersOrParameters = 100
    /// Maximal number of bytes in a target. If a target exceeds the memory of a connection, the library itself refuses
    /// the request with an answer of its own.
    static let maxTargetLength = 12 * 1024

    /// Header fields with only one value, which decide about the rights and the effect of a request (RFC 9110, section
    /// 5.3). If a request has one of these fields twice, a proxy may have used another value than the gateway.
    private static let singleValueFields = [
        "authorization", "content-encoding", "content-type", "current-password", "idempotency-key", "last-event-id",
        "origin",
        "sec-websocket-key", "upload-complete",
        "upload-length", "upload-offset", "x-gotify-key",
    ]

    /// Returns a defect in the parsed parts of a request; nil if the parsed parts are correct.
    /// - Parameter version: the HTTP version in the request.
    static func findDefect(
        method: String,
        version: String,
        headers: [(name: String, value: String)],
        parameters: Int
    ) -> FramingDefect? {
        guard headers.count <= maxHeadersOrParameters else {
            return FramingDefect(
                status: 431,
                text: "A request can have at most \(maxHeadersOrParameters) header fields."
            )
        }
        guard parameters <= maxHeadersOrParameters else {
            return .badRequest("A query can have at most \(maxHeadersOrParameters) parameters.")
        }
        if let field = singleValueFields.first(where: { name in headers.count { $0.name == name } > 1 }) {
            return .badRequest("A request can have only one field \(field).")
        }
        let lengths = headers.filter { $0.name == "content-length" }
        let codings = headers.filter { $0.name == "transfer-encoding" }
        guard lengths.count + codings.count <= 1 else {
            return .badRequest("A request can have only one Content-Length or Transfer-Encoding, and not both.")
        }
        if let length = lengths.first,
            length.value.isEmpty || !length.value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            return .badRequest("Content-Length must be a number.")
        }
        guard let coding = codings.first else { return nil }
        guard version == "HTTP/1.1" else { return .badRequest("A body in chunks needs HTTP/1.1.") }
        guard coding.value.lowercased() == "chunked" else {
            return FramingDefect(status: 501, text: "The only supported Transfer-Encoding is chunked.")
        }
        guard method != "GET", method != "HEAD" else { return .badRequest("\(method) cannot have a body in chunks.") }
        return nil
    }

    /// Finds a defect in the raw header of a request, in the memory of the HTTP library. The library has written zeros
    /// over the line ends (one zero over LF, two over CR LF), the first colon of each line, the spaces around the
    /// target, and the separators of the query. All other bytes are unchanged.
    ///
    /// - Parameters:
    ///   - target: the length of the request's target, up to the first NUL, space or tab.
    ///   - version: the position of the HTTP version in `header`.
    static func findDefect(in header: UnsafeRawBufferPointer, target: Int, version: Int) -> FramingDefect? {
        guard let methodEnd = header.firstIndex(of: 0), methodEnd > 0, header[..<methodEnd].allSatisfy(isTokenByte)
        else {
            return .badRequest("The method is malformed.")
        }
        // The request line has exactly two spaces: one before the target and one after it.
        guard methodEnd + 1 + target + 1 == version, version + 10 <= header.count else {
            return .badRequest("The request line is malformed.")
        }
        guard header[methodEnd..<version].allSatisfy({ $0 == 0 || isTextByte($0) }) else {
            return .badRequest("The target has a control character.")
        }
        var place = version + 8
        guard skipLineEnd(in: header, at: &place) else { return .badRequest("Each line must end with CR LF.") }
        while place < header.count, header[place] != 0 {
            while place < header.count, isTokenByte(header[place]) { place += 1 }
            guard place < header.count, header[place] == 0 else {
                return .badRequest("The name of a header field is malformed.")
            }
            place += 1
            while place < header.count, isTextByte(header[place]) { place += 1 }
            guard skipLineEnd(in: header, at: &place) else {
                return .badRequest("A header field has a control character, or does not end with CR LF.")
            }
        }
        guard skipLineEnd(in: header, at: &place), place == header.count else {
            return .badRequest("The header must end with an empty line.")
        }
        return nil
    }

    private static func skipLineEnd(in header: UnsafeRawBufferPointer, at place: inout Int) -> Bool {
        guard place + 2 <= header.count, header[place] == 0, header[place + 1] == 0 else { return false }
        place += 2
        return true
    }

    /// Whether a token may contain a byte (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Whether a field value may contain a byte (RFC 9110, section 5.5). Bytes from 0x80 to 0xFF are allowed.
    private static func isTextByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
