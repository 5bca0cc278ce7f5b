import JSON
import Testing

@Suite struct NearestNameTests {
    private static let knownNames = ["incognito", "connLink", "ttl", "relay-port", "relay-host"]

    @Test(arguments: [
        ("incognitoo", "incognito"), ("connlink", "connLink"), ("TTL", "ttl"), ("relay-prot", "relay-port"),
        ("relayhost", "relay-host"),
    ])
    func `The nearest known name is found for a misspelt member or option name`(misspelt: String, meant: String) {
        #expect(Self.knownNames.findNearestName(to: misspelt) == meant)
    }

    @Test(arguments: ["colour", "", "x", String(repeating: "ttl", count: 30)])
    func `No known name is found for an unrelated, empty or very long word`(word: String) {
        #expect(Self.knownNames.findNearestName(to: word) == nil)
    }
}
