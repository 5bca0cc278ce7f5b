import Testing
import TestSupport

@testable import JSON

@Suite struct JSONValueTests {
    func parseError(_ text: String, limits: JSONLimits = .default) -> JSONError? {
        do {
            _ = try JSONValue(parsing: text, limits: limits)
            return nil
        } catch { return error }
    }

    @Test(
        arguments: [
            #"{"z":1,"a":[true,false,null,"x"],"m":{}}"#, "[]", #""""#, "-9223372036854775808", "9223372036854775807",
            #"{"text":"a\"b\\c\n\u0001 é 😀"}"#, "[[[[1.5]]]]",
        ]
    )
    func `A parsed JSON text is written unchanged, with its members in order`(text: String) throws {
        #expect(try JSONValue(parsing: text).text == text)
    }

    @Test
    func `64-bit integers in JSON are parsed exactly, and a larger integer causes an error`() throws {
        #expect(try JSONValue(parsing: "9223372036854775807").integerValue == .max)
        #expect(parseError("9223372036854775808")?.reason == .numberOutOfRange)
        #expect(parseError("-9223372036854775809")?.reason == .numberOutOfRange)
        #expect(parseError("1e999")?.reason == .numberOutOfRange)
    }

    @Test
    func `A duplicate member of a JSON object causes an error with its line`() {
        #expect(parseError("{\"a\":1,\n \"a\":2}")?.reason == .duplicateKey)
        #expect(parseError("{\"a\":1,\n \"a\":2}")?.line == 2)
    }

    @Test(arguments: [#"["a\u0000b"]"#, #"{"a\u0000":1}"#, "[\"a\0b\"]"])
    func `A NUL character in JSON is refused, both escaped and raw`(text: String) {
        #expect(parseError(text)?.reason == .nulCharacter)
    }

    @Test
    func `In JSON from peers, a NUL character is accepted only if it is escaped in a string value`() throws {
        let text = #"["a\u0000b"]"#
        let value = try JSONValue(parsing: text, limits: .forPeerText)
        #expect(value == ["a\0b"])
        #expect(value.text == text)
        for text in [#"{"a\u0000":1}"#, "[\"a\0b\"]", "\0"] {
            #expect(parseError(text, limits: .forPeerText)?.reason == .nulCharacter)
        }
    }

    @Test(arguments: [1, 20])
    func `JSON members whose names differ only in Unicode normalization are different members`(others: Int) throws {
        // An object with 20 more names is too large to search linearly: names are looked up by their hash.
        let rest = (0..<others).map { ",\"\($0)\":0" }.joined()
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2\(rest)}"
        let value = try JSONValue(parsing: text)
        #expect(value["\u{E9}"] == 1 && value["e\u{301}"] == 2)
        #expect(value.text == text)
        var object = try #require(value.objectValue)
        object["e\u{301}"] = nil
        #expect(object["\u{E9}"] == 1 && object["e\u{301}"] == nil)
        #expect(JSONValue.object(["\u{E9}": 1]) != .object(["e\u{301}": 1]))
        #expect(parseError("{\"\u{E9}\":1,\"\u{E9}\":2}")?.reason == .duplicateKey)
    }

    @Test
    func `JSON that is nested beyond 128 levels is refused with line and column`() {
        let error = parseError("[\n" + String(repeating: "[", count: 10_000))
        #expect(error == JSONError(reason: .tooDeep(limit: 128), line: 2, column: 128))
        #expect(parseError(String(repeating: "[", count: 128) + String(repeating: "]", count: 128)) == nil)
        #expect(parseError("\"" + String(repeating: "[", count: 10_000) + "\"") == nil)
    }

    @Test
    func `A JSON text above the size limit is refused`() {
        #expect(parseError("[1,2,3]", limits: JSONLimits(size: 6, depth: 9))?.reason == .tooLarge(limit: 6))
    }

    @Test
    func `JSON bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONError.self) {
            try JSONValue(parsing: [UInt8(ascii: "\""), 0xc3, 0x28, UInt8(ascii: "\"")])
        }
    }

    @Test(arguments: ["", "{", "[1,]", "nul", "{\"a\" 1}", "1 2", "'a'"])
    func `Invalid JSON causes a syntax error with its line`(text: String) {
        guard case .syntax = parseError(text)?.reason else {
            Issue.record("accepted or another reason: \(text)")
            return
        }
        #expect(parseError(text)?.line ?? 0 >= 1)
    }

    @Test
    func `JSON objects with the same members in different orders are equal`() {
        let members = (0..<100).map { ("key\($0)", JSONValue.integer($0)) }
        let one = JSONValue.object(JSONObject(members)), other = JSONValue.object(JSONObject(members.reversed()))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one["key50"] == 50)
        var changed = JSONObject(members)
        changed["key50"] = nil
        #expect(changed["key51"] == 51 && changed.count == 99)
    }

    @Test
    func `An extreme time in JSON is limited to a range in which differences of times do not overflow`() throws {
        let (first, last) = (JSONValue.integer(.min).clampedTime, JSONValue.integer(.max).clampedTime)
        #expect(try #require(last) - #require(first) == 1 << 54)
        #expect(JSONValue.integer(1_700_000_000).clampedTime == 1_700_000_000)
        #expect(JSONValue.string("1").clampedTime == nil)
    }

    @Test
    func `Damaged JSON causes an error, or is parsed to a value that can be written and read back`() {
        let seed = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",{"b":null,"c":[true,false]}],"d":"😀"}"#.utf8)
        for input in makeMutations(of: seed, count: 3_000) {
            guard let value = try? JSONValue(parsing: input) else { continue }
            #expect((try? JSONValue(parsing: value.encodeText())) == value)
        }
    }
}
