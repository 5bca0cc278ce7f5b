import JSON
import SimpleXCrypto
import Testing

@testable import SimpleXFFI

@Suite
struct TextTests {
    @Test("markup is parsed; a text without is an empty object")
    func markdown() throws {
        #expect(try Library.json(chatParseMarkdown("plain")) == [:])
        #expect(
            try Library.json(chatParseMarkdown("*bold* text"))
                == ["formattedText": [["format": ["type": "bold"], "text": "bold"], ["text": " text"]]])
    }

    @Test("a server's address is taken apart, and what is none is told")
    func server() throws {
        #expect(
            try Library.json(chatParseServer("smp://AAEC:pass@one.example,two.example:5224"))
                == [
                    "serverAddress": [
                        "serverProtocol": "smp", "hostnames": ["one.example", "two.example"], "port": "5224", "keyHash": "AAEC", "basicAuth": "pass",
                    ], "parseError": "",
                ])
        let bad = try Library.json(chatParseServer("http://example.com"))
        #expect(bad["serverAddress"] == nil)
        #expect(bad["parseError"]?.stringValue?.isEmpty == false)
    }

    @Test("a password is hashed with its salt; a salt that is not base64 gives nothing")
    func passwordHash() {
        let expected = Base64URL.encode(Digest.sha512(Array("secret".utf8) + [1, 2, 3]))
        #expect(Library.take(chatPasswordHash("secret", "AQID")) == expected)
        #expect(Library.take(chatPasswordHash("secret", "!")) == "")
    }

    @Test("names are made valid, and texts measured as JSON")
    func names() {
        #expect(Library.take(chatValidName("  @alice 'x'")) == "alice x")
        #expect(chatJSONLength("a") == 1)
        #expect(chatJSONLength("\"\n") == 4)
        #expect(chatJSONLength("é") == 2)
    }
}
