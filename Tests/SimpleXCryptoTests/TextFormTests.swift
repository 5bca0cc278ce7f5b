import TestSupport
import Testing

@testable import SimpleXCrypto

@Suite("Encodings of bytes as text")
struct TextFormTests {
    @Test
    func `Hexadecimal text of either case is decoded, and other text is refused`() {
        let all = (0...255).map { UInt8($0) }
        #expect(Hex.decode(Hex.encode(all).utf8) == all)
        #expect(Hex.decode("00fFA1".utf8) == [0, 255, 161])
        for wrong in ["0", "0g", "é", " 00"] { #expect(Hex.decode(wrong.utf8) == nil) }
    }

    @Test
    func `A percent sign without two digits is refused in the path of a URL and kept in its query`() {
        #expect(PercentCoding.decode(Array("a%20b+%C3%a9".utf8)) == Array("a b+é".utf8))
        for wrong in ["%", "%4", "%zz", "a%2"] { #expect(PercentCoding.decode(Array(wrong.utf8)) == nil) }
        #expect(PercentCoding.decodeQuery("a+b%20c%zz%4".utf8) == Array("a b c%zz%4".utf8))
        #expect(PercentCoding.escape("a b~ж;") == "a%20b~%D0%B6%3B")
    }

    @Test
    func `The SHA-1 hash of the example in RFC 6455 equals the value in the RFC`() {
        #expect(
            Base64.encode(Digest.sha1(Array("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
                == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        )
    }

    @Test
    func `Random database keys have the form of a raw key and differ each time`() {
        let (one, other) = (KeyMaterial.random(), KeyMaterial.random())
        #expect(one.withSQLCipherForm { $0.count == 67 && $0.starts(with: "x'".utf8) && $0.last == UInt8(ascii: "'") })
        #expect(!one.isSame(as: other))
    }
}
