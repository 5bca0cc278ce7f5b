import JSON
import SimpleXCrypto
import Testing

@testable import SimpleXFFI

@Suite
struct TextTests {
    @Test
    func `The C library parses markup, and returns an empty object for a text without markup`() throws {
        #expect(try Library.takeJSON(chatParseMarkdown("plain")) == [:])
        #expect(
            try Library.takeJSON(chatParseMarkdown("*bold* text"))
                == ["formattedText": [["format": ["type": "bold"], "text": "bold"], ["text": " text"]]]
        )
    }

    @Test
    func `The C library splits a server address into its parts, and returns an error for an invalid address`() throws {
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
    func `The C library hashes a password with its salt, and returns an empty text if the salt is not base64`() {
        let expected = Base64URL.encode(Digest.sha512(Array("secret".utf8) + [1, 2, 3]))
        #expect(Library.takeText(chatPasswordHash("secret", "AQID")) == expected)
        #expect(Library.takeText(chatPasswordHash("secret", "!")) == "")
    }

    @Test
    func `The C library makes an invalid display name valid, and counts the length of a text in JSON`() {
        #expect(Library.takeText(chatValidName("  @alice 'x'")) == "alice x")
        #expect(chatJSONLength("a") == 1)
        #expect(chatJSONLength("\"\n") == 4)
        #expect(chatJSONLength("é") == 2)
    }
}
