import JSON
import Testing

@Suite struct NearestNameTests {
    private static let known = ["incognito", "connLink", "ttl", "relay-port", "relay-host"]

    @Test(
        "A misspelt name is recognized as near the intended name",
        arguments: [
            ("incognitoo", "incognito"), ("connlink", "connLink"), ("TTL", "ttl"), ("relay-prot", "relay-port"),
            ("relayhost", "relay-host"),
        ]
    )
    func near(misspelt: String, meant: String) {
        #expect(Self.known.nearest(to: misspelt) == meant)
    }

    @Test(
        "A different word, an empty word and a very long word are near no name",
        arguments: ["colour", "", "x", String(repeating: "ttl", count: 30)]
    )
    func far(word: String) {
        #expect(Self.known.nearest(to: word) == nil)
    }
}
