import JSON
import Testing

@Suite struct NearestNameTests {
    private static let known = ["incognito", "connLink", "ttl", "relay-port", "relay-host"]

    @Test(
        "The nearest known name is found for a misspelt name",
        arguments: [
            ("incognitoo", "incognito"), ("connlink", "connLink"), ("TTL", "ttl"), ("relay-prot", "relay-port"),
            ("relayhost", "relay-host"),
        ]
    )
    func near(misspelt: String, meant: String) {
        #expect(Self.known.nearest(to: misspelt) == meant)
    }

    @Test(
        "No known name is near a different, empty or very long word",
        arguments: ["colour", "", "x", String(repeating: "ttl", count: 30)]
    )
    func far(word: String) {
        #expect(Self.known.nearest(to: word) == nil)
    }
}
