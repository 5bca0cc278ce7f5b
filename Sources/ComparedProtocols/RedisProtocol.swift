/// RESP, the protocol of Redis, for measurements. Each payload is appended to one list.
package struct RedisProtocol: RequestProtocol {
    package init() {}

    package var openingRequests: [[UInt8]] { [Self.makeCommand(["PING"].map { Array($0.utf8) })] }

    package func makeWriteRequest(_ payload: [UInt8]) -> [UInt8] {
        Self.makeCommand([Array("RPUSH".utf8), Array("notes".utf8), payload])
    }

    /// Returns the length of the first answer; nil while it is incomplete. An answer is one line: a status, a number or
    /// an error.
    package func measureAnswer(_ bytes: [UInt8]) throws(AnswerError) -> Int? {
        guard let kind = bytes.first else { return nil }
        guard [UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "-")].contains(kind) else { throw .malformed }
        guard let end = bytes.findLineEnd(from: 1) else { return nil }
        guard kind != UInt8(ascii: "-") else { throw .refused(bytes[1..<end]) }
        return end + 2
    }

    private static func makeCommand(_ words: [[UInt8]]) -> [UInt8] {
        words.reduce(into: Array("*\(words.count)\r\n".utf8)) { bytes, word in
            bytes += Array("$\(word.count)\r\n".utf8) + word + [13, 10]
        }
    }
}
