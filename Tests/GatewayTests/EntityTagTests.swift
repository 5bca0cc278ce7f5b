import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct EntityTagTests {
    @Test
    func `A request to change a resource with the ETag of an earlier state gets 412 and has no effect`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let made = try await client.post("/v1/webhooks", ["url": "https://example.org/hook", "name": "a"])
            let id = try #require(try made.json["webhook"]?["webhookId"]?.stringValue)
            let store = try await gateway.makeStore("Bob")
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

    @Test
    func `App settings, server lists, operators and drafts are not replaced if the request has an old ETag`()
        async throws
    {
        try await RealGateway.run(change: { $0.serverPresets = .network }) { gateway in
            let client = try await gateway.connectClient()
            let user = "/v1/users/\(try await client.createUser("alice"))"
            let settings = "/v1/settings/app"
            let tag = try await client.call("GET", settings).header("etag")
            let defaults = try await client.call("GET", settings + "?settings=%7B%22privacyLinkPreviews%22:false%7D")
            #expect(tag != nil && defaults.status == 200 && defaults.header("etag") == tag, "\(defaults.text)")
            try await expectReplacement(client, settings, by: #"{"privacyAcceptImages":true}"#, not: "{}")

            let read = try await client.call("GET", "/v1/server-operators").json["conditions"]?["serverOperators"]
            let operators = try #require(read?.arrayValue)
            try await expectReplacement(
                client,
                "/v1/server-operators",
                by: JSONValue.object(["operators": [invertEnabled(operators.last)]]).text,
                not: JSONValue.object(["operators": .array(operators)]).text
            )

            let lists = try #require(try await client.call("GET", user + "/servers").json["userServers"]?.arrayValue)
            var list = try #require(lists.first?.objectValue)
            var servers = try #require(list["smpServers"]?.arrayValue)
            servers[0] = invertEnabled(servers[0])
            list["smpServers"] = .array(servers)
            try await expectReplacement(
                client,
                user + "/servers",
                by: JSONValue.object(["userServers": .array([.object(list)] + lists.dropFirst())]).text,
                not: JSONValue.object(["userServers": .array(lists)]).text
            )

            let draft = user + "/model/drafts/local/1"
            #expect(try await client.call("GET", draft).status == 404)
            let (stale, new) = (("If-Match", "\"x\""), ("If-None-Match", "*"))
            #expect(try await client.call("PUT", draft, headers: [stale], body: #"{"message":"a"}"#).status == 412)
            #expect(try await client.call("PUT", draft, headers: [new], body: #"{"message":"a"}"#).status == 204)
            #expect(try await client.call("PUT", draft, headers: [new], body: #"{"message":"b"}"#).status == 412)
            try await expectReplacement(client, draft, by: #"{"message":"b"}"#, not: #"{"message":"c"}"#)
            #expect(try await client.call("GET", draft).json["message"] == "b")
            #expect(try await client.call("DELETE", draft, headers: [stale]).status == 412)
            let present = try #require(try await client.call("GET", draft).header("etag"))
            #expect(try await client.call("DELETE", draft, headers: [("If-Match", present)]).status == 204)
        }
    }

    @Test
    func `A profile is not replaced if the request has an old ETag of the profile's user`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = "/v1/users/\(try await client.createUser("alice"))"
            func replace(_ name: String, _ tag: String?) async throws -> HTTPClient.Answer {
                try await client.call(
                    "PUT",
                    user + "/profile",
                    headers: tag.map { [("If-Match", $0)] } ?? [],
                    body: #"{"profile":{"displayName":"alice","fullName":"\#(name)"}}"#
                )
            }
            let first = try #require(try await client.call("GET", user).header("etag"))
            let second = try await replace("A", first)
            #expect(second.status == 200 && second.header("etag") != first, "\(second.text)")
            let late = try await replace("B", first)
            #expect(late.status == 412 && late.header("etag") == second.header("etag"), "\(late.text)")
            let present = try await client.call("GET", user)
            #expect(present.header("etag") == second.header("etag"))
            #expect(try present.json["user"]?["profile"]?["fullName"] == "A", "\(present.text)")
            #expect(try await replace("C", nil).status == 200)
        }
    }

    @Test
    func `A refused change of a draft shows the ETag of the draft only to a key that may read it`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let draft = "/v1/users/\(try await client.createUser("alice"))/model/drafts/local/1"
            let made = try await client.call("PUT", draft, body: #"{"message":"secret"}"#)
            #expect(made.status == 204)
            let keys = KeyFile(folder: gateway.folder)
            let shown = made.header("etag")
            let cases: [(scopes: Scopes, status: Int, tag: String?)] = [
                ([.read, .write], 200, shown), (.write, 403, nil),
            ]
            for (scopes, status, tag) in cases {
                var other = try await gateway.connectClient()
                other.key = try keys.addKey(name: "k", scopes: scopes).key.text
                try await other.waitForStatus(status, at: draft)
                for (method, body) in [("PUT", #"{"message":"a"}"#), ("DELETE", nil)] {
                    let refused = try await other.call(method, draft, headers: [("If-Match", "\"x\"")], body: body)
                    #expect(refused.status == 412 && refused.header("etag") == tag, "\(method) \(scopes)")
                }
            }
            #expect(try await client.call("GET", draft).json["message"] == "secret")
        }
    }

    /// Replaces a resource with its present tag, then with the same tag again.
    private func expectReplacement(
        _ client: HTTPClient,
        _ path: String,
        by first: String,
        not second: String
    ) async throws {
        let tag = try #require(try await client.call("GET", path).header("etag"), "\(path)")
        let changed = try await client.call("PUT", path, headers: [("If-Match", tag)], body: first)
        #expect([200, 204].contains(changed.status), "\(path): \(changed.text)")
        #expect(changed.header("etag") != tag && changed.header("etag") != nil, "\(path)")
        let late = try await client.call("PUT", path, headers: [("If-Match", tag)], body: second)
        #expect(late.status == 412 && late.header("etag") == changed.header("etag"), "\(path): \(late.text)")
        #expect(try await client.call("GET", path).header("etag") == changed.header("etag"), "\(path)")
    }

    /// Returns an entry with the other value of `enabled`.
    private func invertEnabled(_ entry: JSONValue?) -> JSONValue {
        var object = entry?.objectValue ?? JSONObject()
        object["enabled"] = .bool(object["enabled"] != true)
        return .object(object)
    }
}
