import Testing

@testable import JSON

private struct Sample: Codable, Equatable {
    enum Kind: String, Codable { case one, two }
    struct Inner: Codable, Equatable { var x: Double }

    var id: Int64
    var name: String
    var kind: Kind
    var note: String?
    var inner: [Inner]
    var map: [String: Bool]
    var raw: JSONValue
}

@Suite struct CodableTests {
    private let sample = Sample(
        id: .max,
        name: "a",
        kind: .two,
        note: nil,
        inner: [.init(x: 1.5)],
        map: ["k": true],
        raw: ["any": [1, nil]]
    )

    @Test
    func `A Codable value is decoded as it was encoded, with the order of its members and without nil members`() throws
    {
        let bytes = try JSONEncoder().encode(sample)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"id":9223372036854775807,"name":"a","kind":"two","inner":[{"x":1.5}],"map":{"k":true},"raw":{"any":[1,null]}}"#
        )
        #expect(try JSONDecoder().decode(Sample.self, from: bytes) == sample)
    }

    @Test
    func `Unknown members of a JSON object are ignored`() throws {
        var value = try JSONEncoder().encodeValue(sample)
        if case .object(var object) = value {
            object["note"] = .null
            object["later"] = 1
            value = .object(object)
        }
        #expect(try JSONDecoder().decode(Sample.self, from: value) == sample)
    }

    @Test
    func `A JSON value of a wrong type causes an error with the path of the value`() throws {
        let text = #"{"id":1,"name":"a","kind":"one","inner":[{"x":1},{"x":"no"}],"map":{},"raw":null}"#
        do {
            _ = try JSONDecoder().decode(Sample.self, from: Array(text.utf8))
            Issue.record("accepted")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["inner", "1", "x"])
        }
    }

    @Test
    func `A JSON number with a decimal point or outside of the integer's range is refused as an integer`() {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Int.self, from: Array("1.0".utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(UInt8.self, from: Array("256".utf8)) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(UInt64.max) }
    }
}
