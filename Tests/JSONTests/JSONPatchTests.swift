import JSON
import TestSupport
import Testing

@Suite("JSON Patch")
struct JSONPatchTests {
    @Test(arguments: [
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"foo":"bar","baz":"qux"}"#),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        (
            #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (
            #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10},{"op":"remove","path":"/~1"}]"#,
            #"{"~1":10}"#
        ),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        (#"{"a":1}"#, #"[{"op":"copy","from":"/a","path":"/b"}]"#, #"{"a":1,"b":1}"#),
        (#"{"a":1}"#, #"[{"op":"replace","path":"","value":[]}]"#, "[]"),
    ])
    func `The JSON Patch examples of RFC 6902, appendix A, give the documents of the RFC`(
        _ document: String,
        _ patch: String,
        _ result: String
    ) throws {
        let patch = try JSONPatch(JSONValue(parsing: patch))
        #expect(
            try JSONValue(parsing: document).applying(patch).withSortedMembers
                == JSONValue(parsing: result).withSortedMembers
        )
        #expect(try JSONPatch(patch.jsonValue) == patch)
    }

    @Test(arguments: [
        #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, #"[{"op":"test","path":"/foo","value":"bar"}]"#,
        #"[{"op":"remove","path":"/none"}]"#, #"[{"op":"replace","path":"/list/2","value":1}]"#,
        #"[{"op":"add","path":"/list/3","value":1}]"#,
        #"[{"op":"add","path":"/list/01","value":1}]"#, #"[{"op":"remove","path":"/list/-"}]"#,
        #"[{"op":"add","path":"list","value":1}]"#,
        #"[{"op":"move","from":"/list","path":"/list/0"}]"#, #"[{"op":"add","path":"/a~2","value":1}]"#,
        #"[{"op":"fly","path":"/a"}]"#,
        #"[{"op":"add","path":"/a"}]"#, #"{"op":"add"}"#, #"[{"op":"copy","path":"/a"}]"#, #"[1]"#,
    ])
    func `A JSON Patch that is malformed or does not fit the document causes an error`(_ text: String) throws {
        let document: JSONValue = ["foo": "x", "list": [1, 2]]
        #expect(throws: JSONPatchError.self) { try document.applying(JSONPatch(JSONValue(parsing: text))) }
    }

    @Test(arguments: 1...40)
    func `The JSON Patch between two documents changes the first document into the second one`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let (old, new) = (randomValue(&random, depth: 0), randomValue(&random, depth: 0))
            var patch = JSONPatch()
            patch.appendDifference(from: old, to: new)
            #expect(try old.applying(patch).withSortedMembers == new.withSortedMembers)
        }
    }

    private func randomValue(_ random: inout SeededRandom, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 7 : 4), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: 0...3, using: &random))
        case 3: return .string(["a", "~", "/", ""].randomElement(using: &random) ?? "")
        case 4:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in randomValue(&random, depth: depth + 1) }
            )
        default:
            var members = JSONObject()
            for name in ["a", "b/c", "~d", ""] where Bool.random(using: &random) {
                members[name] = randomValue(&random, depth: depth + 1)
            }
            return .object(members)
        }
    }

    @Test(arguments: 1...40)
    func `A JSON Patch can change the elements of a list into any order`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let old = Array((0..<20).shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)))
        let new = Array((0..<25).shuffled(using: &random).prefix(Int.random(in: 0...25, using: &random)))
        var patch = JSONPatch()
        patch.appendReordering(old, to: new, at: "/list") { .integer(Int64($0)) }
        let document: JSONValue = ["list": .array(old.map { .integer(Int64($0)) })]
        #expect(try document.applying(patch) == ["list": .array(new.map { .integer(Int64($0)) })])
    }

    @Test
    func `Moving a list element to the top takes one operation in a JSON Patch`() {
        var patch = JSONPatch()
        patch.appendReordering(["a", "b", "c", "d"], to: ["d", "a", "b", "c"], at: "/chats") { .string($0) }
        #expect(patch.operations == [.move(from: "/chats/3", path: "/chats/0")])
    }
}

extension JSONValue {
    /// The value with sorted members in all objects, since a patch does not keep their order.
    fileprivate var withSortedMembers: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withSortedMembers))
        case .object(let members):
            .object(JSONObject(members.map { ($0.0, $0.1.withSortedMembers) }.sorted { $0.0 < $1.0 }))
        default: self
        }
    }
}
