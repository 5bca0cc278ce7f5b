import JSON
import Synchronization
import Testing

@Suite("Encoding of Codable types to JSON text")
struct EncodingTests {
    struct Point: Codable, Equatable {
        var x: Int64
        var y: Double?
        var tags: [String] = []
        var nested: [Point]?
        var map: [String: Int]?
        var any: JSONValue?
    }

    private func encodeText(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    @Test
    func `A Swift structure is encoded with its members in order, without nil members`() throws {
        let point = Point(x: .max, tags: ["a", "b"], nested: [Point(x: 1, any: .null)], map: ["k": 1])
        #expect(
            try encodeText(point)
                == #"{"x":9223372036854775807,"tags":["a","b"],"nested":[{"x":1,"tags":[],"any":null}],"map":{"k":1}}"#
        )
        #expect(try JSONDecoder().decode(Point.self, from: JSONEncoder().encode(point)).nested?.count == 1)
    }

    @Test
    func `A nil optional is encoded as null in an array, and left out as a member of an object`() throws {
        #expect(try encodeText([1, nil, 3] as [Int?]) == "[1,null,3]")
        #expect(try encodeText(Pair(a: nil, b: 2)) == #"{"b":2}"#)
    }

    struct Pair: Encodable {
        var a: Int?
        var b: Int
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: AnyKey.self)
            try members.encode(a, forKey: "a")
            try members.encode(b, forKey: "b")
        }
    }

    struct Tagged: Encodable {
        var payload: Pair
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: AnyKey.self)
            try members.encode("tagged", forKey: "type")
            try payload.encode(to: encoder)
            var list = members.nestedUnkeyedContainer(forKey: "list")
            try list.encode(Pair(a: 1, b: 2))
            try members.encode(true, forKey: "last")
        }
    }

    @Test
    func `Two containers of one encoder add their members to the same JSON object`() throws {
        #expect(
            try encodeText(Tagged(payload: Pair(a: 3, b: 4)))
                == #"{"type":"tagged","a":3,"b":4,"list":[{"a":1,"b":2}],"last":true}"#
        )
    }

    @Test
    func `Empty containers and top-level strings are encoded as JSON`() throws {
        #expect(try encodeText([Int]()) == "[]")
        #expect(try encodeText([String: Int]()) == "{}")
        #expect(try encodeText("x") == "\"x\"")
        #expect(try encodeText([[Int]]([[], [1]])) == "[[],[1]]")
        #expect(throws: EncodingError.self) { try encodeText(Double.nan) }
    }

    @Test
    func `A fragment of JSON text is copied unchanged into the encoded text`() throws {
        #expect(try encodeText(["a": JSONFragment(Array("[1, 2]".utf8))]) == #"{"a":[1, 2]}"#)
    }
}

private struct CachedName: Codable, Hashable, RepeatedJSON {
    var name: String
}

@Suite struct RepeatedJSONTests {
    private let encoder = JSONEncoder(RecentTexts(of: [CachedName.self], capacity: 2))

    @Test
    func `The cache of encoded texts returns for each value its own JSON text`() throws {
        for round in 0..<3 {
            for name in ["a", "b", "c", "a"] {
                let text = String(
                    decoding: try encoder.encode(["list": [CachedName(name: name), CachedName(name: "\(round)")]]),
                    as: UTF8.self
                )
                #expect(text == #"{"list":[{"name":"\#(name)"},{"name":"\#(round)"}]}"#)
            }
        }
    }

    @Test
    func `A value with a cached JSON text is encoded with the text, alone and as a member of an object`() throws {
        for encoder in [encoder, JSONEncoder(RecentTexts(of: [])), JSONEncoder()] {
            for _ in 0..<2 {
                #expect(String(decoding: try encoder.encode(CachedName(name: "x")), as: UTF8.self) == #"{"name":"x"}"#)
                #expect(
                    String(decoding: try encoder.encode(["m": CachedName?.some(CachedName(name: "x"))]), as: UTF8.self)
                        == #"{"m":{"name":"x"}}"#
                )
            }
        }
    }

    /// A value that counts how often it is encoded.
    private final class EncodingCounter: RepeatedJSON {
        let count = Mutex(0)

        func encode(to encoder: any Encoder) throws {
            count.withLock { $0 += 1 }
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }

        static func == (one: EncodingCounter, other: EncodingCounter) -> Bool { one === other }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    @Test
    func `Clearing one cache of encoded JSON texts does not clear a second cache`() throws {
        let value = EncodingCounter()
        let (one, other) = (RecentTexts(of: [EncodingCounter.self]), RecentTexts(of: [EncodingCounter.self]))
        for texts in [one, one, other, other] { _ = try JSONEncoder(texts).encode(value) }
        #expect(value.count.withLock { $0 } == 2)
        one.removeAll()
        _ = try JSONEncoder(other).encode(value)
        #expect(value.count.withLock { $0 } == 2)
        _ = try JSONEncoder(one).encode(value)
        #expect(value.count.withLock { $0 } == 3)
    }
}

@Suite struct RecentlyUsedTests {
    @Test
    func `A full cache of encoded JSON texts drops the least recently used values`() {
        var recent = RecentCache<Int, String>(capacity: 20)
        for key in 0..<200 {
            recent.storeValue("\(key)", for: key)
            #expect(recent.findValue(for: key) == "\(key)")
            if key > 0 { #expect(recent.findValue(for: 0) == "0") }
            #expect((0...key).count { recent.hasValue($0) } <= 20)
        }
        #expect(recent.findValue(for: 100) == nil)
        recent.storeValue("large", for: 7, cost: 1_000)
        recent.storeValue("other", for: 8, cost: 1_000)
        #expect(recent.findValue(for: 0) == nil)
        recent.removeAll()
        #expect(recent.findValue(for: 8) == nil)
    }
}

extension RecentCache {
    /// Whether the cache contains a value. The check does not count as a use of the value.
    fileprivate func hasValue(_ key: Key) -> Bool {
        var copy = self
        return copy.findValue(for: key) != nil
    }
}
