import JSON
import Testing

@Suite struct NearestNameTests {
    private static let knownNames = ["incognito", "connLink", "ttl", "relay-port", "relay-host"]

    @Test(arguments: [
        ("incognitoo", "incognito"), ("connlink", "connLink"), ("TTL", "ttl"), ("relay-prot", "relay-port"),
        ("relayhost", "relay-host"),
    ])
    func `The nearest known name is found for a misspelt name`(misspelt: String, meant: String) {
        #expect(Self.knownNames.findNearestName(to: misspelt) == meant)
    }

    @Test(arguments: ["colour", "", "x", String(repeating: "ttl", count: 30)])
    func `A different, empty or very long word has no near known name`(word: String) {
        #expect(Self.knownNames.findNearestName(to: word) == nil)
    }
}
