import JSON
import TestSupport
import Testing

/// A client without knowledge of chats. It has a document, and applies the received patches to it.
struct ModelFollower {
    let client: HTTPClient
    /// The route of the document.
    let path: String
    let memberName: String
    var document: JSONValue
    var cursor: String
    var patchCount = 0

    init(_ client: HTTPClient, _ path: String, _ member: String = "model") async throws {
        self.client = client
        self.path = path
        self.memberName = member
        let answer = try await client.call("GET", path).json
        document = try #require(answer[member])
        cursor = try #require(answer["id"]?.stringValue)
    }

    /// Applies the new patches. Waits up to `seconds` for some.
    mutating func advance(wait seconds: Int = 0) async throws {
        let answer = try await client.call("GET", "\(path)/changes?cursor=\(cursor)&timeout=\(seconds)")
        guard answer.status != 410 else {
            // A deletion has removed patches before the follower read them, so the whole document is read again.
            let again = try await client.call("GET", path).json
            document = try #require(again[memberName])
            cursor = try #require(again["id"]?.stringValue)
            return
        }
        let page = try answer.json
        for entry in try #require(page["events"]?.arrayValue, "\(page.text)") {
            document = try document.applying(JSONPatch(try #require(entry["event"]?["patch"])))
            patchCount += 1
        }
        cursor = try #require(page["cursor"]?.stringValue)
    }

    /// Applies patches until the document meets a condition.
    mutating func advance(until isReached: (JSONValue) -> Bool, file: String = #fileID, line: Int = #line) async throws
    {
        try await waitUntil(
            "the document has the wanted content: \(document.text.prefix(4000))",
            every: .zero,
            file: file,
            line: line
        ) {
            if !isReached(document) { try await advance(wait: 1) }
            return isReached(document)
        }
    }

    /// Applies patches up to the server's document, and expects that both documents are equal.
    mutating func expectServerDocument() async throws {
        for _ in 0..<20 {
            let answer = try await client.call("GET", path).json
            while cursor != answer["id"]?.stringValue, cursorNumber(cursor) < cursorNumber(answer["id"]?.stringValue) {
                try await advance()
            }
            guard cursor == answer["id"]?.stringValue else { continue }
            #expect(answer[memberName]?.withSortedMembers == document.withSortedMembers)
            return
        }
        Issue.record("the document changed at every reading")
    }

    private func cursorNumber(_ cursor: String?) -> Int { cursor?.split(separator: "-").last.flatMap { Int($0) } ?? 0 }
}

extension JSONValue {
    /// The value with sorted members in all objects, since a patch does not keep their order.
    var withSortedMembers: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withSortedMembers))
        case .object(let members):
            .object(JSONObject(members.map { ($0.0, $0.1.withSortedMembers) }.sorted { $0.0 < $1.0 }))
        default: self
        }
    }
}
