internal import JSON

/// The protocol of NATS with JetStream, for measurements. Each payload becomes a message of one stream, which the
/// server stores in files. The stream's acknowledgement is the answer to the payload.
package struct NATSProtocol: RequestProtocol {
    private static let stream = #"{"name":"notes","subjects":["notes"],"storage":"file"}"#

    private let inbox: String

    /// Makes the protocol of one connection.
    /// - Parameter clientID: a different number for each connection, so that its answers have their own subject.
    package init(clientID: Int) { inbox = "_INBOX.\(clientID)" }

    /// The requests that open a connection. The second request creates the stream, and has no effect if the stream
    /// exists with the same settings.
    package var openingRequests: [[UInt8]] {
        [
            Array("CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB \(inbox) 1\r\nPING\r\n".utf8),
            makePublication("$JS.API.STREAM.CREATE.notes", Array(Self.stream.utf8)),
        ]
    }

    package func makeWriteRequest(_ payload: [UInt8]) -> [UInt8] { makePublication("notes", payload) }

    /// Returns the length of the first answer; nil while it is incomplete. The answer to a publication is a message
    /// (MSG). The answer to the first opening request ends with PONG. PINGs of the server are not answered, because a
    /// measurement is shorter than the server's interval between PINGs.
    package func measureAnswer(_ bytes: [UInt8]) throws(AnswerError) -> Int? {
        var start = 0
        while start < bytes.count {
            guard let end = bytes.findLineEnd(from: start) else { return nil }
            let line = bytes[start..<end], next = end + 2
            switch line.prefix(while: { $0 != UInt8(ascii: " ") }) {
            case Self.pong: return next
            case Self.message: return try measureMessage(bytes, line, at: next)
            case Self.info, Self.ping, Self.ok: start = next
            case Self.error: throw .refused(line)
            default: throw .malformed
            }
        }
        return nil
    }

    private static let pong = Array("PONG".utf8)[...]
    private static let message = Array("MSG".utf8)[...]
    private static let info = Array("INFO".utf8)[...]
    private static let ping = Array("PING".utf8)[...]
    private static let ok = Array("+OK".utf8)[...]
    private static let error = Array("-ERR".utf8)[...]

    /// Returns the end of a message (MSG) whose body begins at `start`; nil while the message is incomplete. The last
    /// word of `line`, the first line of the message, is the size of the body. A JSON body with `error` is a refusal.
    private func measureMessage(_ bytes: [UInt8], _ line: ArraySlice<UInt8>, at start: Int) throws(AnswerError) -> Int?
    {
        guard let word = line.split(separator: UInt8(ascii: " ")).last,
            let size = Int(String(decoding: word, as: UTF8.self)), (0...AnswerError.maxAnswerBytes).contains(size)
        else { throw .malformed }
        let end = start + size
        guard bytes.count >= end + 2 else { return nil }
        guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else { throw .malformed }
        let body = bytes[start..<end]
        guard let answer = try? JSONValue(parsing: Array(body)) else { throw .malformed }
        guard answer["error"] == nil else { throw .refused(body) }
        return end + 2
    }

    private func makePublication(_ subject: String, _ body: [UInt8]) -> [UInt8] {
        Array("PUB \(subject) \(inbox) \(body.count)\r\n".utf8) + body + [13, 10]
    }
}
