/// Bytes of HTTP/2 that a hostile peer sends (RFC 9113, section 4.1).
package enum HTTP2Bytes {
    /// The beginning of a client's connection, with the acknowledgement of the server's settings.
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settingsFrame + makeFrame(4, flags: 1)
    package static let settingsFrame = makeFrame(4)
    package static let windowUpdateFrame = makeFrame(8, [0, 0, 0, 1])
    /// An informational header with status 100 for the first request. It comes before the answer. The name of the
    /// header is an index of the static table (RFC 7541).
    package static let informationalHeaders = makeFrame(1, flags: 4, stream: 1, [0x08, 3] + Array("100".utf8))

    package static func makeFrame(
        _ type: UInt8,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        _ payload: [UInt8] = []
    ) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags]
            + withUnsafeBytes(of: stream.bigEndian) { Array($0) } + payload
    }

    /// Returns the headers of a request whose body is not sent yet. POST, https and `/` are indices of the static table
    /// (RFC 7541), and the authority is a literal.
    package static func makeRequest(_ stream: UInt32) -> [UInt8] {
        makeFrame(1, flags: 4, stream: stream, [0x83, 0x87, 0x84, 0x01, 1, UInt8(ascii: "a")])
    }

    /// Returns requests that stay open, and after them a CONTINUATION frame without headers, which is an error of the
    /// connection.
    package static func makeOpenRequests(_ count: Int) -> [UInt8] {
        preface + makeRequests(UInt32(count)) + makeFrame(9, stream: 7)
    }
    /// More requests than a server tolerates, each of them reset immediately.
    package static let rapidResets: [UInt8] = {
        var bytes = preface
        for stream in streamNumbers(400) { bytes += makeRequest(stream) + makeFrame(3, stream: stream, [0, 0, 0, 8]) }
        return bytes
    }()

    package static func makeRequests(_ count: UInt32) -> [UInt8] {
        Array(streamNumbers(count).map(makeRequest).joined())
    }

    /// Returns the numbers of the first `count` streams of a client: the odd numbers from 1.
    private static func streamNumbers(_ count: UInt32) -> [UInt32] { (0..<count).map { 2 * $0 + 1 } }
}
