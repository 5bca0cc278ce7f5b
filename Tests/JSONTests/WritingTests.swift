import JSON
import Testing

@Suite("Writing JSON text")
struct WritingTests {
    @Test
    func `In JSON strings, only quotes, backslashes and control characters are escaped`() {
        #expect(
            JSONValue.string("a\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}é😀").text == #""a\"\\/\u0008\u000c\n\r\t\u0001\u001fé😀""#
        )
    }

    @Test(arguments: [0.1, -2.5, 1e21, 2.2250738585072014e-308, 1.7976931348623157e308])
    func `A real number is written to JSON so that the same number is parsed`(_ number: Double) throws {
        #expect(try JSONValue(parsing: JSONValue.real(number).text) == .real(number))
    }

    @Test
    func `Values that are written one after the other form valid JSON`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeKey("a")
        writer.beginArray()
        writer.writeInteger(1 as Int64)
        writer.writeFragment(Array("{}".utf8))
        writer.endArray()
        writer.writeKey("b")
        writer.writeNull()
        writer.endObject()
        #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == #"{"a":[1,{}],"b":null}"#)
    }

    @Test
    func `JSON objects are equal in any order of members, and a change keeps the order of members`() {
        #expect(["a": 1, "b": 2] as JSONValue == ["b": 2, "a": 1])
        #expect(Set<JSONValue>([["a": 1, "b": 2], ["b": 2, "a": 1]]).count == 1)
        var object = JSONObject((0..<40).map { ("k\($0)", .integer(Int64($0))) })
        object["k3"] = nil
        object["k5"] = "five"
        #expect(object.count == 39)
        #expect(object["k39"] == 39)
        #expect(Array(object.keys.prefix(5)) == ["k0", "k1", "k2", "k4", "k5"])
        #expect(object["k5"] == "five")
    }

    @Test
    func `Reading an element of a JSON value with a wrong index or name returns nil`() {
        let value: JSONValue = ["a": [1]]
        #expect(value["a"]?[1] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["c"]?["d"] == nil)
    }
}
