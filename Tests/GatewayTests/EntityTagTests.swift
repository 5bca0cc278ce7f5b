import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.overSockets) struct EntityTagTests {
    @Test("A change with the ETag of an earlier state gets 412 and changes nothing; with the present one it is made")
    func changes() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            _ = try await client.user("alice")
            let made = try await client.post("/v1/webhooks", ["url": "https://example.org/hook", "name": "a"])
            let id = try #require(try made.json["webhook"]?["webhookId"]?.stringValue)
            let store = try await gateway.newStore("Bob")
            for (path, method, first, second) in [
                ("/v1/webhooks/\(id)", "PATCH", #"{"name": "b"}"#, #"{"name": "c"}"#),
                ("/v1/stores/\(store.id)/limits", "PUT", #"{"items": 10}"#, #"{"items": 20}"#),
            ] {
                let read = try await client.call("GET", path)
                let tag = try #require(read.header("etag"), "\(read.text)")
                let changed = try await client.call(method, path, headers: [("If-Match", tag)], body: first)
                #expect(changed.status == 200 && changed.header("etag") != tag, "\(changed.text)")
                let late = try await client.call(method, path, headers: [("If-Match", tag)], body: second)
                #expect(late.status == 412, "\(late.text)")
                #expect(try late.json["code"] == "preconditionFailed")
                #expect(late.header("etag") == changed.header("etag"))
                #expect(try await client.call("GET", path).header("etag") == changed.header("etag"))
                let present = changed.header("etag") ?? ""
                for match in ["*", "\"x\", \(present)", "W/\(present)"] {
                    let answer = try await client.call(method, path, headers: [("If-Match", match)], body: first)
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
        }
    }
}
