/// Version 3 of PostgreSQL's protocol, for measurements of a server that asks for no password. Each payload is inserted
/// into one table, in its own transaction.
package struct PostgresProtocol: RequestProtocol {
    private let user: String
    private let database: String

    package init(user: String, database: String) { (self.user, self.database) = (user, database) }

    private static let table = "CREATE TABLE IF NOT EXISTS note (id bigserial PRIMARY KEY, text text)"

    package var openingRequests: [[UInt8]] {
        var startup: [UInt8] = []
        startup.appendBigEndian(Int32(3 << 16))
        for text in ["user", user, "database", database] { startup += Self.encodeText(text) }
        let parse = Self.encodeText("note") + Self.encodeText("INSERT INTO note (text) VALUES ($1)") + [0, 0]
        return [
            Self.makeMessage(nil, startup + [0]),
            Self.makeMessage("Q", Self.encodeText(Self.table)),
            Self.makeMessage("P", parse) + Self.makeMessage("S", []),
        ]
    }

    /// Makes a request that inserts the payload with the prepared statement and commits the transaction.
    package func makeWriteRequest(_ payload: [UInt8]) -> [UInt8] {
        // The message contains the empty name of the unnamed portal, and the name of the prepared statement. It has no
        // format codes, so all values are texts. It has one parameter.
        var bind = Self.encodeText("") + Self.encodeText("note") + [0, 0, 0, 1]
        bind.appendBigEndian(Int32(clamping: payload.count))
        bind += payload + [0, 0]
        return Self.makeMessage("B", bind) + Self.makeMessage("E", Self.encodeText("") + [0, 0, 0, 0])
            + Self.makeMessage("S", [])
    }

    /// Returns the length of the first answer; nil while the answer is incomplete. An answer has several messages. The
    /// last message (Z) says that the server is ready for a query.
    package func measureAnswer(_ bytes: [UInt8]) throws(AnswerError) -> Int? {
        var start = 0
        while start + 5 <= bytes.count {
            let length = bytes[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
            guard (4...AnswerError.maxAnswerBytes).contains(length) else { throw .malformed }
            let end = start + 1 + length
            guard end <= bytes.count else { return nil }
            let body = bytes[start + 5..<end]
            switch bytes[start] {
            case UInt8(ascii: "Z"): return end
            case UInt8(ascii: "E"): throw .refused(Self.findReason(in: body))
            case UInt8(ascii: "R"):
                guard body.elementsEqual([0, 0, 0, 0]) else { throw .refused("a password is needed") }
            default: break
            }
            start = end
        }
        return nil
    }

    /// Returns the readable text of an error, which is the text of the field `M`. Each field of an error consists of a
    /// letter and a text.
    private static func findReason(in body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        body.split(separator: 0).first { $0.first == UInt8(ascii: "M") }?.dropFirst() ?? []
    }

    /// Encodes a text as the protocol requires, with a zero byte at its end.
    private static func encodeText(_ text: String) -> [UInt8] { text.utf8 + [0] }

    /// Makes a message of the protocol. The letter is the type of the message; nil for the first message of a
    /// connection.
    private static func makeMessage(_ letter: Unicode.Scalar?, _ body: [UInt8]) -> [UInt8] {
        var bytes = letter.map { [UInt8(ascii: $0)] } ?? []
        bytes.appendBigEndian(Int32(clamping: body.count + 4))
        return bytes + body
    }
}
