import ChatCore
import Files
import JSON
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite("Webhooks over HTTP", .socketTimeLimit) struct WebhooksTests {
    /// Waits until the receiver of the webhook has accepted all events, and the position is stored.
    private func waitUntilDrained(_ client: HTTPClient, _ id: String) async throws {
        try await waitUntil("no event waits for \(id)") {
            try await client.call("GET", "/v1/webhooks/\(id)").json["waiting"] == 0
        }
    }

    private func makeWebhook(
        _ client: HTTPClient,
        _ body: JSONValue,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> (id: String, secret: Webhook.SigningSecret) {
        let answer = try await client.post("/v1/webhooks", body)
        #expect(answer.status == 201 && answer.header("cache-control") == "no-store", "\(answer.text) \(file):\(line)")
        let json = try answer.json
        let id = try #require(json["webhook"]?["webhookId"]?.stringValue)
        #expect(answer.header("location") == "/v1/webhooks/\(id)")
        return (id, try #require(json["secret"]?.stringValue.flatMap { Webhook.SigningSecret($0) }))
    }

    private func url(_ receiver: HTTPReceiver, _ path: String = "/hook") -> JSONValue {
        .string("http://127.0.0.1:\(receiver.port)\(path)")
    }

    @Test
    func `A key without the scope 'admin' gets 409 for its 26th webhook, and an administrator can create more`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let key = try KeyFile(folder: gateway.folder).addKey(name: "bot", scopes: [.read, .events, .write])
            let bot = try await HTTPClient.connect(port: gateway.port, key: key.key.text)
            let body: JSONValue = ["url": "https://example.org/hook"]
            for _ in 0..<25 { #expect(try await bot.post("/v1/webhooks", body).status == 201) }
            #expect(try await bot.post("/v1/webhooks", body).status == 409)
            for _ in 0..<30 { #expect(try await admin.post("/v1/webhooks", body).status == 201) }
        }
    }

    @Test
    func `A webhook gets signed events, is listed without secrets, and can be changed and deleted`() async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { _ in .status(204) }
            let (id, secret) = try await makeWebhook(
                client,
                [
                    "url": .string("http://me:pass@127.0.0.1:\(receiver.port)/hook"), "name": "crm",
                    "types": ["contactConnected", "groupDeleted"],
                ]
            )
            let begin = try await client.call("GET", "/v1/events?cursor=now").json["cursor"]?.stringValue ?? ""
            _ = try await ShortMessageTests.makeContacts(client)
            let wanted =
                try await client.call(
                    "GET",
                    "/v1/events?cursor=\(begin)&types=contactConnected,groupDeleted&limit=1000"
                ).json["events"]?.arrayValue ?? []
            #expect(wanted.count == 2)
            let requests = await receiver.nextRequests(wanted.count)
            try await waitUntilDrained(client, id)
            for entry in wanted {
                let request = try #require(requests.first { $0.header("webhook-id") == entry["id"]?.stringValue })
                #expect(try request.json == entry)
                #expect(
                    try Contract.servedContract.violations(
                        ofWebhook: "event",
                        header: request.header,
                        body: request.json
                    ) == []
                )
                let signed =
                    Array("\(request.header("webhook-id") ?? "").\(request.header("webhook-timestamp") ?? "").".utf8)
                    + request.body
                #expect(
                    request.header("webhook-signature") == "v1," + Base64.encode(HMAC.sha256(signed, key: secret.bytes))
                )
                #expect(
                    request.header("authorization") == "Basic bWU6cGFzcw=="
                        && request.header("content-type") == "application/json"
                )
            }
            let listed = try await client.call("GET", "/v1/webhooks")
            #expect(
                !listed.text.contains("whsec_") && !listed.text.contains("pass")
                    && listed.text.contains("***@127.0.0.1")
            )
            let one = try await client.call("GET", "/v1/webhooks/\(id)").json
            #expect(
                one["state"] == "active" && one["name"] == "crm"
                    && one["types"] == ["contactConnected", "groupDeleted"] && one["lastDeliveredAt"] != nil
            )
            let log = try await client.call("GET", "/v1/webhooks/\(id)/deliveries?limit=1")
            #expect(try log.json["deliveries"]?[0]?["outcome"] == "delivered")
            #expect(!log.text.contains("alice"))
            let next = try #require(log.json["next"]?.stringValue)
            let target = "/v1/webhooks/\(id)/deliveries?limit=1&cursor=\(next)"
            #expect(log.header("link") == "<\(target)>; rel=\"next\"")
            #expect(try await client.call("GET", target).json["deliveries"]?.arrayValue?.count == 1)
            let changed = try await client.call(
                "PATCH",
                "/v1/webhooks/\(id)",
                body: #"{"types":[],"state":"paused","name":"b"}"#
            ).json
            #expect(changed["types"] == nil && changed["state"] == "paused" && changed["name"] == "b")
            let metrics = try await client.call("GET", "/metrics").text
            #expect(
                metrics.contains("sxgw_event_receivers{state=\"paused\"} 1\n")
                    && metrics.contains("sxgw_delivery_attempts_total{outcome=\"delivered\"} \(wanted.count)\n")
            )
            #expect(try await client.call("DELETE", "/v1/webhooks/\(id)").status == 204)
            #expect(try await client.call("GET", "/v1/webhooks").json["webhooks"] == [])
            for path in ["", "/deliveries"] {
                #expect(try await client.call("GET", "/v1/webhooks/\(id)\(path)").status == 404)
            }
        }
    }

    @Test
    func `A key without 'admin' cannot change a webhook of another key until the other key is revoked`() async throws {
        try await RealGateway.runDelivering { gateway in
            let admin = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { _ in .status(204) }
            func key(_ scopes: JSONValue) async throws -> (client: HTTPClient, id: String) {
                let made = try await admin.post("/v1/keys", ["name": "k", "scopes": scopes]).json
                return (
                    try await gateway.connectClient(key: try #require(made["key"]?.stringValue)),
                    try #require(made["record"]?["keyId"]?.stringValue)
                )
            }
            let (first, second) = (try await key(["events", "write"]), try await key(["events", "write"]))
            let (id, _) = try await makeWebhook(first.client, ["url": url(receiver, "/hook?token=SECRET")])
            for (method, path, body) in [
                ("PATCH", "", #"{"url":"http://127.0.0.1:\#(receiver.port)/mine"}"#), ("DELETE", "", ""),
                ("POST", "/rotate", "{}"), ("POST", "/test", "{}"),
                ("POST", "/replay", #"{"cursor":"now"}"#),
            ] {
                let refused = try await second.client.call(method, "/v1/webhooks/\(id)" + path, body: body)
                #expect(refused.status == 403, "\(method) \(path): \(refused.text)")
            }
            for path in ["/v1/webhooks", "/v1/webhooks/\(id)"] {
                let seen = try await second.client.call("GET", path)
                #expect(
                    seen.status == 200 && seen.text.contains("\"http://127.0.0.1:\(receiver.port)/…\"")
                        && !seen.text.contains("SECRET"),
                    "\(seen.text)"
                )
                for client in [first.client, admin] {
                    #expect(try await client.call("GET", path).text.contains("SECRET"))
                }
            }
            #expect(try await admin.call("PATCH", "/v1/webhooks/\(id)", body: #"{"name":"b"}"#).status == 200)
            #expect(try await first.client.call("PATCH", "/v1/webhooks/\(id)", body: #"{"name":"c"}"#).status == 200)
            #expect(try await admin.call("DELETE", "/v1/keys/\(first.id)").status == 204)
            let taken = try await second.client.call("PATCH", "/v1/webhooks/\(id)", body: #"{"state":"active"}"#)
            #expect(try taken.status == 200 && taken.json["keyId"] == .string(second.id), "\(taken.text)")
        }
    }

    @Test
    func `The old and the new secret of a webhook both sign its requests until the grace period ends`() async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { _ in .status(200) }
            let (id, first) = try await makeWebhook(client, ["url": url(receiver)])
            func signatures() async throws -> (HTTPReceiver.Request, [String]) {
                #expect(try await client.post("/v1/webhooks/\(id)/test", [:]).json["outcome"] == "delivered")
                let request = await receiver.nextRequest()
                return (request, request.header("webhook-signature")?.split(separator: " ").map(String.init) ?? [])
            }
            let own = "whsec_" + Base64.encode([UInt8](repeating: 9, count: 24))
            let rotated = try await client.post(
                "/v1/webhooks/\(id)/rotate",
                ["secret": .string(own), "graceSeconds": 600]
            )
            #expect(try rotated.json["secret"] == .string(own) && rotated.header("cache-control") == "no-store")
            #expect(try rotated.json["webhook"]?["previousSecretExpiresAt"] != nil)
            let (request, both) = try await signatures()
            let (event, time) = (
                request.header("webhook-id") ?? "", Int64(request.header("webhook-timestamp") ?? "") ?? 0
            )
            let second = try #require(Webhook.SigningSecret(own))
            #expect(both == [second, first].map { $0.sign(id: event, time: time, body: request.body) })
            #expect(event.hasPrefix("test-"))
            #expect(try request.json["event"] == ["type": "test"])
            #expect(
                try Contract.servedContract.violations(ofWebhook: "test", header: request.header, body: request.json)
                    == []
            )
            _ = try await client.post("/v1/webhooks/\(id)/rotate", ["graceSeconds": 0])
            #expect(try await signatures().1.count == 1)
        }
    }

    @Test
    func `The example of the specification 'Standard Webhooks' gets the same signature as in the specification`() throws
    {
        // The example of the Standard Webhooks specification.
        let secret = try #require(Webhook.SigningSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let body = Array(#"{"test": 2432232314}"#.utf8)
        #expect(
            secret.sign(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: 1_614_265_330, body: body)
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        )
        #expect(secret.text == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        for text in [
            "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa",
            "whsec_" + String(repeating: "A", count: 100), "whsec_!!!!",
        ] {
            #expect(Webhook.SigningSecret(text) == nil, "\(text)")
        }
    }

    @Test
    func `A test request to a webhook returns the receiver's answer or the reason of the failure`() async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { request in
                request.target == "/cut" ? .lastBytes([]) : .status(401)
            }
            let (refused, _) = try await makeWebhook(client, ["url": url(receiver)])
            let answer = try await client.post("/v1/webhooks/\(refused)/test", [:]).json
            #expect(
                answer["outcome"] == "failed" && answer["status"] == 401 && answer["error"] == nil
                    && answer["type"] == "test"
            )
            let (cut, _) = try await makeWebhook(client, ["url": url(receiver, "/cut")])
            let other = try await client.post("/v1/webhooks/\(cut)/test", [:]).json
            #expect(
                other["outcome"] == "failed" && other["status"] == nil
                    && other["error"] == "the connection was closed without an answer"
            )
            #expect(
                try await client.call("GET", "/v1/webhooks/\(cut)/deliveries").json["deliveries"]?.arrayValue?.count
                    == 1
            )
            #expect(try await client.call("GET", "/v1/webhooks/\(cut)").json["state"] == "active")
        }
    }

    @Test
    func `A webhook sends only events that its key may see, and a key cannot see webhooks with more rights`()
        async throws
    {
        try await RealGateway.runDelivering { gateway in
            let admin = try await gateway.connectClient()
            let (bob, alice) = try await ShortMessageTests.makeContacts(admin)
            let receiver = try await HTTPReceiver.start { _ in .status(200) }
            func client(_ body: JSONValue) async throws -> HTTPClient {
                let key = try await admin.post("/v1/keys", body).json["key"]?.stringValue
                return try await HTTPClient.connect(port: gateway.port, key: key)
            }
            let bound = try await client(["name": "bound", "userId": 1])
            let chat = try await client(["name": "chat", "userId": 1, "chats": [.string("direct/\(bob)")]])
            let reader = try await client(["name": "reader", "scopes": ["events", "read"]])
            let writer = try await client(["name": "writer", "scopes": ["write", "read"]])
            let (ofAll, _) = try await makeWebhook(admin, ["url": url(receiver, "/all"), "types": ["newChatItems"]])
            let (ofOne, _) = try await makeWebhook(bound, ["url": url(receiver, "/one"), "types": ["newChatItems"]])
            let (ofChat, _) = try await makeWebhook(chat, ["url": url(receiver, "/chat")])
            #expect(try await reader.post("/v1/webhooks", ["url": url(receiver)]).status == 403)
            #expect(try await reader.call("GET", "/v1/webhooks").json["webhooks"]?.arrayValue?.count == 3)
            #expect(try await writer.call("GET", "/v1/webhooks").status == 403)
            #expect(try await writer.post("/v1/webhooks", ["url": url(receiver)]).status == 403)
            #expect(try await bound.post("/v1/webhooks", ["url": url(receiver), "users": [2]]).status == 403)
            #expect(try await chat.post("/v1/webhooks", ["url": url(receiver), "chats": ["group/1"]]).status == 403)
            #expect(try await bound.call("GET", "/v1/webhooks").json["webhooks"]?.arrayValue?.count == 2)
            #expect(
                try await chat.call("GET", "/v1/webhooks").json["webhooks"]?.arrayValue?.compactMap {
                    $0["webhookId"]?.stringValue
                } == [ofChat]
            )
            for (key, id) in [(bound, ofAll), (chat, ofAll), (chat, ofOne)] {
                for (method, path) in [
                    ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/test"), ("POST", "/rotate"),
                    ("GET", "/deliveries"),
                ] {
                    #expect(
                        try await key.call(
                            method,
                            "/v1/webhooks/\(id)\(path)",
                            body: ["PATCH", "POST"].contains(method) ? "{}" : nil
                        )
                        .status == 404,
                        "\(method) \(path)"
                    )
                }
            }
            // Both profiles get a message: bob from alice, and alice from bob.
            #expect(try await admin.post("/v1/users/1/chats/direct/\(bob)/messages", ["text": "to bob"]).status == 201)
            #expect(
                try await admin.post("/v1/users/2/chats/direct/\(alice)/messages", ["text": "to alice"]).status == 201
            )
            var seen: [String: Set<String>] = [:]
            while seen["/all"]?.count ?? 0 < 2 || seen["/one"] == nil || seen["/chat"]?.contains("to alice") != true {
                let request = await receiver.nextRequest()
                for text in ["to bob", "to alice"] where request.text.contains(text) {
                    seen[request.target, default: []].insert(text)
                }
            }
            #expect(seen["/one"] == ["to alice"])
            // The webhook of a revoked key waits until an administrator takes the webhook over. After
            // that the webhook gets the same events as before.
            let keys = try await admin.call("GET", "/v1/keys").json["keys"]?.arrayValue ?? []
            let keyId = try #require(keys.first { $0["name"] == "bound" }?["keyId"]?.stringValue)
            #expect(try await admin.call("DELETE", "/v1/keys/\(keyId)").status == 204)
            #expect(try await admin.call("GET", "/v1/webhooks/\(ofOne)").json["state"] == "revoked")
            #expect(try await admin.post("/v1/users/2/chats/direct/\(alice)/messages", ["text": "later"]).status == 201)
            var request = await receiver.nextRequest()
            while !(request.target == "/all" && request.text.contains("\"later\"")) {
                request = await receiver.nextRequest()
            }
            #expect(!receiver.requests.contains { $0.target == "/one" && $0.text.contains("\"later\"") })
            let taken = try await admin.call("PATCH", "/v1/webhooks/\(ofOne)", body: #"{"state":"active"}"#).json
            #expect(taken["state"] == "active" && taken["userId"] == 1 && taken["keyId"] != .string(keyId))
            while !(request.target == "/one" && request.text.contains("\"later\"")) {
                request = await receiver.nextRequest()
            }
            #expect(!receiver.requests.contains { $0.target == "/one" && $0.text.contains("to bob") })
        }
    }

    @Test
    func `After a restart of the gateway, a webhook sends the events that were not sent before`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let id = try await RealGateway.runDelivering(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let (id, _) = try await makeWebhook(client, ["url": url(receiver), "types": ["contactConnected"]])
            #expect(try await client.call("PATCH", "/v1/webhooks/\(id)", body: #"{"state":"paused"}"#).status == 200)
            _ = try await ShortMessageTests.makeContacts(client)
            return id
        }
        try await RealGateway.runDelivering(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let begin = try #require(try await client.call("GET", "/v1/webhooks/\(id)").json["cursor"]?.stringValue)
            #expect(receiver.requests.isEmpty)
            #expect(try await client.call("PATCH", "/v1/webhooks/\(id)", body: #"{"state":"active"}"#).status == 200)
            let entries =
                try await client.call("GET", "/v1/events?cursor=\(begin)&types=contactConnected&limit=1000").json[
                    "events"
                ]?.arrayValue ?? []
            #expect(entries.count == 2)
            let requests = await receiver.nextRequests(entries.count)
            #expect(
                Set(requests.compactMap { $0.header("webhook-id") })
                    == Set(entries.compactMap { $0["id"]?.stringValue })
            )
            try await waitUntilDrained(client, id)
            let replayed = try await client.post("/v1/webhooks/\(id)/replay", ["cursor": .string(begin)])
            #expect(replayed.status == 202)
            #expect(
                Set(await receiver.nextRequests(entries.count).compactMap { $0.header("webhook-id") })
                    == Set(entries.compactMap { $0["id"]?.stringValue })
            )
            try await waitUntilDrained(client, id)
            let first = try #require(entries.first?["id"])
            #expect(try await client.post("/v1/webhooks/\(id)/replay", ["ids": [first]]).status == 202)
            #expect(await receiver.nextRequest().header("webhook-id") == first.stringValue)
        }
    }

    @Test
    func `A request for a webhook with an invalid URL, filter, name or secret is refused, and creates no webhook`()
        async throws
    {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            var bodies: [JSONValue] = [
                [:], ["url": 1], ["url": "https://example.org", "types": ["nothing"]],
                ["url": "https://example.org", "types": "newChatItems"],
                ["url": "https://example.org", "users": [0]], ["url": "https://example.org", "users": ["1"]],
                ["url": "https://example.org", "chats": ["direct/0"]],
                ["url": "https://example.org", "chats": ["#1"]], ["url": "https://example.org", "name": ""],
                ["url": "https://example.org", "name": "a\nb"],
                ["url": "https://example.org", "secret": "short"],
                ["url": "https://example.org", "secret": "whsec_AAAA"],
                ["url": "https://example.org", "users": .array((1...201).map { .integer($0) })],
            ]
            for text in [
                "", "example.org", "ftp://example.org", "http://10.0.0.1", "https://10.0.0.1/",
                "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://[fe80::1%25eth0]/",
                "https://[::ffff:10.0.0.1]/", "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/",
                "https://example.org.", "https://bücher.example/", "https://a b/",
                "https://u@v@example.org/", "https://example.org:0/", "https://example.org:99999/",
                "https://example.org/#x", "https://exa\\mple.org/", "http://8.8.8.8/",
                "https://" + String(repeating: "a", count: 3_000) + ".org/",
            ] {
                bodies.append(["url": .string(text)])
            }
            for body in bodies { #expect(try await client.post("/v1/webhooks", body).status == 422, "\(body.text)") }
            #expect(try await client.post("/v1/webhooks", ["url": "https://example.org", "colour": 1]).status == 400)
            #expect(try await client.post("/v1/webhooks", ["url": "https://example.org", "cursor": "x"]).status == 400)
            #expect(
                try await client.post("/v1/webhooks", ["url": "https://example.org", "cursor": "abc-1"]).status == 410
            )
            #expect(try await client.call("GET", "/v1/webhooks").json["webhooks"] == [])
            let answer = try await client.post("/v1/webhooks", ["url": "https://user:hunter2@exa mple.org/"])
            #expect(answer.status == 422 && !answer.text.contains("hunter2"))
            let (id, _) = try await makeWebhook(client, ["url": "https://example.org/"])
            for body: JSONValue in [
                ["state": "gone"], ["state": 1], ["url": "https://127.1/"], ["types": ["x"]], ["name": ""],
            ] {
                #expect(
                    try await client.call("PATCH", "/v1/webhooks/\(id)", body: body.text).status == 422,
                    "\(body.text)"
                )
            }
            for body: JSONValue in [[:], ["ids": []], ["ids": ["abc-1"], "cursor": "now"], ["ids": 1]] {
                #expect(try await client.post("/v1/webhooks/\(id)/replay", body).status == 422, "\(body.text)")
            }
            for body: JSONValue in [["ids": ["abc-1"]], ["ids": ["now"]], ["cursor": "abc-1"]] {
                #expect(try await client.post("/v1/webhooks/\(id)/replay", body).status == 410, "\(body.text)")
            }
            for body: JSONValue in [["graceSeconds": -1], ["graceSeconds": 604_801], ["secret": "x"]] {
                #expect(try await client.post("/v1/webhooks/\(id)/rotate", body).status == 422, "\(body.text)")
            }
            #expect(try await client.call("GET", "/v1/webhooks/\(id)/deliveries?limit=0").status == 400)
        }
    }

    @Test
    func `A webhook is refused if it is above the store's limit, or its URL uses http or leads to a private address`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for url in ["http://example.org/", "http://127.0.0.1/", "https://127.0.0.1/"] {
                #expect(try await client.post("/v1/webhooks", ["url": .string(url)]).status == 422)
            }
            for _ in 0..<DeliveryEngine.maxSubscriptions {
                _ = try await makeWebhook(client, ["url": "https://example.org/"])
            }
            #expect(try await client.post("/v1/webhooks", ["url": "https://example.org/"]).status == 409)
        }
    }

    @Test
    func `A webhook continues to send events after the webhook's store was locked and unlocked`() async throws {
        try await RealGateway.runDelivering { gateway in
            let root = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { _ in .status(200) }
            let made = try await root.post("/v1/stores", ["name": "other"]).json
            let store = try #require(made["store"]?["storeId"]?.stringValue)
            let client = try await HTTPClient.connect(port: gateway.port, key: try #require(made["key"]?.stringValue))
            let (id, _) = try await makeWebhook(client, ["url": url(receiver), "types": ["contactConnected"]])
            _ = try await ShortMessageTests.makeContacts(client)
            _ = await receiver.nextRequests(2)
            try await waitUntilDrained(client, id)
            #expect(try await root.post("/v1/stores/\(store)/lock", [:]).status == 200)
            #expect(try await client.call("GET", "/v1/webhooks/\(id)").status == 503)
            #expect(try await root.post("/v1/stores/\(store)/unlock", [:]).status < 300)
            let carol = try await client.createUser("carol")
            _ = try await client.connectUsers(1, carol)
            _ = await receiver.nextRequests(2)
            #expect(Set(receiver.requests.compactMap { $0.header("webhook-id") }).count == 4)
        }
    }
}
