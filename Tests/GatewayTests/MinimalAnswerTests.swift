import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.overSockets) struct MinimalAnswerTests {
    private static let minimal = ("Prefer", "return=minimal")

    @Test("A request with `return=minimal` gets 204 and the headers of the answer, and its repetition can get the body")
    func messages() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let (alice, bob) = (try await client.user("alice"), try await client.user("bob"))
            let (contact, _) = try await client.connect(alice, bob)
            let path = "/v1/users/\(alice)/chats/direct/\(contact)/messages"
            let body: JSONValue = ["text": "hello"]
            let key = ("Idempotency-Key", "a")
            let sent = try await client.post(path, body, headers: [Self.minimal, key])
            #expect(sent.status == 204 && sent.body == [], "\(sent.text)")
            #expect(sent.header("preference-applied") == "return=minimal" && sent.header("content-type") == nil)
            let location = try #require(sent.header("location"))
            #expect(location.hasPrefix(path))
            let repeated = try await client.post(path, body, headers: [Self.minimal, key])
            #expect(repeated.status == 204 && repeated.header("idempotent-replayed") == "true")
            #expect(repeated.header("location") == location)
            let whole = try await client.post(path, body, headers: [key])
            #expect(whole.status == 201 && whole.header("idempotent-replayed") == "true", "\(whole.text)")
            #expect(try whole.json["chatItems"]?.arrayValue?.count == 1 && whole.header("preference-applied") == nil)
            let reaction: JSONValue = ["reaction": ["type": "emoji", "emoji": "👍"]]
            let changed = try await client.post(location + "/reactions", reaction, headers: [Self.minimal])
            #expect(changed.status == 204, "\(changed.text)")
            let refused = try await client.post(path, [:], headers: [Self.minimal])
            #expect(refused.status == 422 && refused.header("preference-applied") == nil)
            #expect(try refused.json["code"] != nil)
        }
    }

    @Test("A patch with `return=minimal` gets the tag of the changed resource")
    func patches() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let path = "/v1/users/\(try await client.user("alice"))"
            let changed = try await client.call("PATCH", path, headers: [Self.minimal], body: #"{"muted":true}"#)
            #expect(changed.status == 204 && changed.body == [], "\(changed.text)")
            let shown = try await client.call("GET", path, headers: [Self.minimal])
            #expect(shown.status == 200 && shown.header("etag") == changed.header("etag"))
            #expect(try shown.json["user"]?["showNtfs"] == false)
        }
    }

    @Test("The first of several preferences for the answer counts")
    func preferences() {
        for (fields, isMinimal) in [
            (["return=minimal"], true), (["RETURN=Minimal"], true), ([#"return="minimal""#], true),
            (["wait=5, return=minimal"], true), (["return=representation", "return=minimal"], false),
            (["return=minimal", "return=representation"], true), (["return"], false), ([], false),
        ] as [([String], Bool)] {
            let request = HTTPRequest(method: "POST", path: "/", headers: fields.map { ("prefer", $0) })
            #expect(AnswerPreference(request).isMinimal == isMinimal, "\(fields)")
        }
    }
}
