import SimpleXCrypto

/// Reads the textual encoding of the SimpleX protocols from the UTF-8 bytes of a text.
package struct TextReader: Sendable {
    private var reader: ByteReader

    package init(_ text: String) { reader = ByteReader(Array(text.utf8)) }
    package init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

    package var isAtEnd: Bool { reader.isAtEnd }
    package func peek() -> UInt8? { reader.peek() }
    package func requireEnd() throws(SMPEncodingError) { try reader.requireEnd() }

    /// Consumes the next bytes if they equal `text`. Returns whether the bytes were consumed.
    package mutating func skip(_ text: StaticString) -> Bool { reader.skip(text) }

    /// Consumes `text`. Throws if the next bytes differ from `text`.
    package mutating func requireText(_ text: StaticString) throws(SMPEncodingError) {
        guard reader.skip(text) else { throw reader.isAtEnd ? .unexpectedEnd : .invalidValue("text") }
    }

    /// Reads the longest run of bytes that satisfy `predicate`. The run may be empty.
    package mutating func takeBytes(while predicate: (UInt8) -> Bool) -> [UInt8] {
        Array(reader.readSlice(while: predicate))
    }

    /// Reads one or more bytes that satisfy `predicate`.
    package mutating func takeSomeBytes(while predicate: (UInt8) -> Bool) throws(SMPEncodingError) -> [UInt8] {
        let taken = takeBytes(while: predicate)
        guard !taken.isEmpty else { throw reader.isAtEnd ? .unexpectedEnd : .invalidValue("text") }
        return taken
    }

    /// Reads all remaining bytes.
    package mutating func readRest() -> [UInt8] { reader.readRest() }

    /// Reads one or more decimal digits. A number that is too large for 64 bits overflows silently, as in the original.
    package mutating func readDecimal() throws(SMPEncodingError) -> UInt64 {
        let digits = try takeSomeBytes { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- UInt8(ascii: "0")) }
    }

    package mutating func readWord16() throws(SMPEncodingError) -> UInt16 {
        UInt16(truncatingIfNeeded: try readDecimal())
    }

    /// Reads base64url text with or without padding, and decodes it. The text must not be empty.
    package mutating func readBase64URL() throws(SMPEncodingError) -> [UInt8] {
        var encoded = try takeSomeBytes(while: Self.isBase64URL)
        encoded += takeBytes { $0 == UInt8(ascii: "=") }
        guard let decoded = try? Base64URL.decode(encoded) else { throw .invalidValue("base64url") }
        return decoded
    }

    static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
