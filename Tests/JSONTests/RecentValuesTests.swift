import Testing

@testable import JSON

@Suite struct RecentValuesTests {
    private struct Point: Codable, Hashable {
        var x: Int
    }

    @Test
    func `A JSON text is parsed to the same value with and without the cache of parsed values`() throws {
        let recent = RecentValues<Point>(capacity: 40)
        for round in 0..<3 {
            for x in 0..<10 { #expect(try recent.decodeValue(of: "{\"x\":\(x)}") == Point(x: x), "round \(round)") }
            if round == 1 { recent.removeAll() }
            for _ in 0..<3 { #expect(try recent.decodeValue(of: "{\"x\":7}") == Point(x: 7)) }
        }
    }

    @Test
    func `An invalid JSON value causes an error each time it is parsed with a cache of parsed values`() {
        let recent = RecentValues<Point>()
        for _ in 0..<2 { #expect(throws: (any Error).self) { try recent.decodeValue(of: "{\"x\":\"seven\"}") } }
    }
}
