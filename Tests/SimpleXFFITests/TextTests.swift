import JSON
import SimpleXCrypto
import Testing

@testable import SimpleXFFI

@Suite
struct TextTests {
    @Test
    func `Markup is parsed, and a text without markup returns an empty object`() throws {
        #expect(try Library.takeJSON(chatParseMarkdown("plain")) == [:])
        #expect(
            try Library.takeJSON(chatParseMarkdown("*bold* text"))
                == ["formattedText": [["format": ["type": "bold"], "text": "bold"], ["text": " text"]]]
        )
    }

    @Test
    func `A server address is split into its parts, and an invalid address returns a parse error`() throws {
        #expect(
            try Library.takeJSON(chatParseServer("smp://AAEC:pass@one.example,two.example:5224"))
                == [
                    "serverAddress": [
                        "serverProtocol": "smp", "hostnames": ["one.example", "two.example"], "port": "5224",
                        "keyHash": "AAEC", "basicAuth": "pass",
                    ], "parseError": "",
                ]
        )
        let bad = try Library.takeJSON(chatParseServer("http://example.com"))
        #expect(bad["serverAddress"] == nil)
        #expect(bad["parseError"]?.stringValue?.isEmpty == false)
    }

    @Test
    func `A password is hashed with its salt, and a salt that is not base64 returns an empty text`() {
        let expected = Base64URL.encode(Digest.sha512(Array("secret".utf8) + [1, 2, 3]))
        #expect(Library.takeText(chatPasswordHash("secret", "AQID")) == expected)
        #expect(Library.takeText(chatPasswordHash("secret", "!")) == "")
    }

    @Test
    func `An invalid name is changed to a valid name, and the length of a text in JSON is counted`() {
        #expect(Library.takeText(chatValidName("  @alice 'x'")) == "alice x")
        #expect(chatJSONLength("a") == 1)
        #expect(chatJSONLength("\"\n") == 4)
        #expect(chatJSONLength("é") == 2)
    }
}
