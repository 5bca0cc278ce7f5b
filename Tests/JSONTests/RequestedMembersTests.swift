import JSON
import Testing

@Suite("Members that a type does not read")
struct RequestedMembersTests {
    private struct Inner: Decodable {
        let number: Int
    }

    private struct Outer: Decodable {
        let text: String
        let inner: Inner?
        let list: [Inner]?
        let names: [String: Int]?
        let free: JSONValue?
        let open: Open?
    }

    private struct Open: Decodable {
        let number: Int

        private enum CodingKeys: CodingKey { case number }

        init(from decoder: any Decoder) throws {
            decoder.allowUnknownMembers()
            number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
        }
    }

    private func decode(_ text: String) throws {
        _ = try JSONDecoder().decodeAll(Outer.self, from: JSONValue(parsing: text))
    }

    @Test(arguments: [
        #"{"text":"a"}"#, #"{"text":"a","inner":null}"#,
        #"{"text":"a","inner":{"number":1},"list":[{"number":1},{"number":2}],"names":{"x":1,"y":2}}"#,
        #"{"text":"a","free":{"x":{"y":[1]}}}"#, #"{"text":"a","open":{"number":1,"more":{"x":1}}}"#,
    ])
    func `JSON members that the type reads, at any depth, are accepted`(text: String) throws { try decode(text) }

    @Test(arguments: [
        (#"{"text":"a","txt":"b"}"#, "txt", "/txt"),
        (#"{"text":"a","inner":{"number":1,"x":null}}"#, "inner.x", "/inner/x"),
        (#"{"text":"a","list":[{"number":1},{"number":2,"x":1}]}"#, "list[1].x", "/list/1/x"),
        (#"{"text":"a","x":{"y":1}}"#, "x", "/x"), (#"{"text":"a","x/~":1}"#, "x/~", "/x~1~0"),
    ])
    func `The first JSON member that the type does not read is reported with its path`(
        text: String,
        path: String,
        pointer: String
    ) throws {
        let error = #expect(throws: UnknownMember.self) { try decode(text) }
        #expect(error?.path == path)
        #expect(error?.pointer.text == pointer)
    }

    @Test
    func `A JSON value of a wrong type is reported before an unknown member`() {
        #expect(throws: DecodingError.self) { try decode(#"{"text":1,"x":1}"#) }
    }
}
