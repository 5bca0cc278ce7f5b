import ChatAPI
import ChatCore
import ChatStore
import JSON
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite("Web Push", .socketTimeLimit) struct WebPushTests {
    /// The browser's side of a subscription: its keys, and the decryption of messages.
    struct Browser: Sendable {
        let key: P256.PrivateKey
        let secret = RandomBytes.make(count: 16)

        init() throws { key = try P256.PrivateKey() }

        func makeSubscription(_ receiver: HTTPReceiver, _ path: String, _ more: JSONObject = JSONObject()) -> JSONValue
        {
            var body = more
            body["endpoint"] = .string("http://127.0.0.1:\(receiver.port)/\(path)")
            body["expirationTime"] = .null
            body["keys"] = [
                "p256dh": .string(Base64URL.encode(key.publicKey, padding: false)),
                "auth": .string(Base64URL.encode(secret, padding: false)),
            ]
            return .object(body)
        }

        func nextMessage(_ receiver: HTTPReceiver) async throws -> JSONValue {
            try decryptMessage(await receiver.nextRequest())
        }

        func decryptMessage(_ request: HTTPReceiver.Request) throws -> JSONValue {
            #expect(request.header("content-encoding") == "aes128gcm" && request.method == "POST")
            let note = try JSONValue(parsing: WebPushTests.decrypt(request.body, key, secret))
            #expect(
                Contract.servedContract.violations(ofWebhook: "notification", header: request.header, body: note) == []
            )
            return note
        }
    }

    /// Decrypts a message with one record as in RFC 8188 and RFC 8291.
    static func decrypt(_ body: [UInt8], _ key: P256.PrivateKey, _ secret: [UInt8]) throws -> [UInt8] {
        let (salt, sender) = (Array(body[..<16]), Array(body[21..<86]))
        #expect(body.count <= 4_096 && Array(body[16..<21]) == [0, 0, 16, 0, 65])
        let keys = try WebPushCipher.deriveKeys(
            key.sharedSecret(with: sender),
            secret: secret,
            receiver: key.publicKey,
            sender: sender,
            salt: salt
        )
        let record = try AES128GCM.open(Array(body[86...]), key: keys.key, nonce: keys.nonce)
        let end = try #require(record.lastIndex { $0 != 0 })
        #expect(record[end] == 2)
        return Array(record[..<end])
    }

    private func addSubscription(_ client: HTTPClient, _ body: JSONValue) async throws -> String {
        let answer = try await client.post("/v1/push-subscriptions", body)
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(try answer.json["subscriptionId"]?.stringValue)
        #expect(answer.header("location") == "/v1/push-subscriptions/\(id)")
        return id
    }

    @Test
    func `A browser gets notifications of the requested events, and gets the message text only on request`()
        async throws
    {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let (bob, alice) = try await ShortMessageTests.makeContacts(client)
            let receiver = try await HTTPReceiver.start { _ in .status(201) }
            let (one, two) = (try Browser(), try Browser())
            _ = try await addSubscription(client, one.makeSubscription(receiver, "one", ["users": [2]]))
            let id = try await addSubscription(
                client,
                two.makeSubscription(
                    receiver,
                    "two",
                    ["content": true, "chats": [.string("direct/\(bob)")], "users": [1]]
                )
            )
            let key = try await client.call("GET", "/v1/push-subscriptions/key").json["publicKey"]?.stringValue
            #expect(
                try await client.post("/v1/users/1/chats/direct/\(bob)/messages", ["text": "for bob"]).status == 201
            )
            let first = await receiver.nextRequest()
            #expect(
                first.target == "/one"
                    && first.header("ttl").flatMap { Int($0) }.map { (1...86_400).contains($0) } == true
            )
            #expect(first.header("urgency") == "high" && first.header("topic")?.count == 32)
            #expect(first.header("authorization")?.hasSuffix("k=\(key ?? "")") == true)
            let seen = try one.decryptMessage(first)
            #expect(
                seen["type"] == "newChatItems" && seen["userId"] == 2 && seen["chat"] == .string("direct/\(alice)")
                    && seen["itemId"]?.integerValue != nil && seen["text"] == nil && seen["title"] == nil
            )
            let text = String(repeating: "löng ", count: 300)
            #expect(
                try await client.post("/v1/users/2/chats/direct/\(alice)/messages", ["text": .string(text)]).status
                    == 201
            )
            let second = await receiver.nextRequest()
            let read = try two.decryptMessage(second)
            #expect(second.target == "/two" && second.header("topic") == nil && read["title"] == "bob")
            #expect(read["text"]?.stringValue == String(text.prefix(500)) + "…")
            // While the chat is muted, a message causes no notification.
            #expect(
                try await client.patch(
                    "/v1/users/1/chats/direct/\(bob)",
                    ["settings": ["enableNtfs": "none"]]
                ).status == 200
            )
            #expect(
                try await client.post("/v1/users/2/chats/direct/\(alice)/messages", ["text": "unheard"]).status == 201
            )
            var cursor: String?
            _ = try await client.waitForEvent(after: &cursor, "newChatItems", user: 1)
            try await waitUntil("the message has come") {
                try await client.call("GET", "/v1/users/1/chats/direct/\(bob)").text.contains("unheard")
            }
            #expect(
                try await client.patch(
                    "/v1/users/1/chats/direct/\(bob)",
                    ["settings": ["enableNtfs": "all"]]
                ).status == 200
            )
            #expect(
                try await client.post("/v1/users/2/chats/direct/\(alice)/messages", ["text": "heard"]).status == 201
            )
            #expect(try await two.nextMessage(receiver)["text"] == "heard")
            let listed = try await client.call("GET", "/v1/push-subscriptions")
            #expect(try listed.json["subscriptions"]?.arrayValue?.count == 2)
            #expect(!listed.text.contains("/one") && listed.text.contains("http://127.0.0.1:\(receiver.port)"))
            let changed = try await client.call(
                "PATCH",
                "/v1/push-subscriptions/\(id)",
                body: #"{"mentionsOnly":true,"content":false,"chats":[]}"#
            ).json
            #expect(changed["mentionsOnly"] == true && changed["content"] == false && changed["chats"] == nil)
            #expect(try await client.post("/v1/push-subscriptions/\(id)/test", [:]).json["outcome"] == "delivered")
            #expect(try await two.nextMessage(receiver)["type"] == "test")
            #expect(try await client.call("DELETE", "/v1/push-subscriptions/\(id)").status == 204)
            #expect(try await client.call("GET", "/v1/push-subscriptions/\(id)").status == 404)
        }
    }

    @Test(arguments: [404, 410])
    func `A repeated push subscription keeps its id, and one that the push service does not know is removed`(
        status: Int
    ) async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(client)
            let receiver = try await HTTPReceiver.start { _ in .status(status) }
            let browser = try Browser()
            let id = try await addSubscription(client, browser.makeSubscription(receiver, "one"))
            let again = try await client.post(
                "/v1/push-subscriptions",
                browser.makeSubscription(receiver, "one", ["content": true])
            )
            #expect(again.status == 200)
            let changed = try again.json
            #expect(changed["subscriptionId"] == .string(id) && changed["content"] == true)
            #expect(
                try await client.call("GET", "/v1/push-subscriptions").json["subscriptions"]?.arrayValue?.count == 1
            )
            #expect(
                try await client.post("/v1/users/1/chats/direct/\(bob)/messages", ["text": "for bob"]).status == 201
            )
            try await client.waitForStatus(404, at: "/v1/push-subscriptions/\(id)")
            #expect(try await client.call("GET", "/v1/push-subscriptions").json["subscriptions"] == [])
        }
    }

    @Test
    func `The VAPID key and the subscriptions of a store survive a restart`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let receiver = try await HTTPReceiver.start { _ in .status(201) }
        let browser = try Browser()
        let (id, key) = try await RealGateway.runDelivering(in: folder) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let key = try await client.call("GET", "/v1/push-subscriptions/key").json["publicKey"]
            return (try await addSubscription(client, browser.makeSubscription(receiver, "one")), key)
        }
        try await RealGateway.runDelivering(in: folder) { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.call("GET", "/v1/push-subscriptions/key").json["publicKey"] == key)
            #expect(try await client.post("/v1/push-subscriptions/\(id)/test", [:]).json["outcome"] == "delivered")
            let request = await receiver.nextRequest()
            #expect(try browser.decryptMessage(request)["type"] == "test")
            #expect(request.header("authorization")?.hasSuffix("k=\(key?.stringValue ?? "")") == true)
            #expect(try await client.call("GET", "/v1/push-subscriptions/\(id)").status == 200)
        }
    }

    @Test
    func `A poll, a socket, a webhook and a browser get the same events of a chat in the same order`() async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let (bob, alice) = try await ShortMessageTests.makeContacts(client)
            let (hook, push) = (
                try await HTTPReceiver.start { _ in .status(204) }, try await HTTPReceiver.start { _ in .status(201) }
            )
            let browser = try Browser()
            let begin = try await client.call("GET", "/v1/events?cursor=now").json["cursor"]?.stringValue ?? ""
            let query = "types=newChatItems&users=2&chats=direct/\(alice)&cursor=\(begin)"
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/events/ws?\(query)")
            let made = try await client.post(
                "/v1/webhooks",
                [
                    "url": .string("http://127.0.0.1:\(hook.port)/"), "types": ["newChatItems"], "users": [2],
                    "chats": [.string("direct/\(alice)")],
                    "cursor": .string(begin),
                ]
            )
            #expect(made.status == 201)
            _ = try await addSubscription(
                client,
                browser.makeSubscription(push, "one", ["users": [2], "content": true])
            )
            let count = 12
            for number in 1...count {
                #expect(
                    try await client.post(
                        "/v1/users/1/chats/direct/\(bob)/messages",
                        ["text": .string("message \(number)")]
                    ).status == 201
                )
            }
            func isMessage(_ entry: JSONValue) -> Bool {
                entry["event"]?["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue?.hasPrefix("message ")
                    == true
            }
            func ids(_ next: () async throws -> JSONValue) async throws -> [String] {
                var found: [String] = []
                while found.count < count {
                    let entry = try await next()
                    if isMessage(entry), let id = entry["id"]?.stringValue { found.append(id) }
                }
                return found
            }
            let expected = try await ids { try await socket.receiveJSON() }
            let posted = try await ids { try await hook.nextRequest().json }
            #expect(posted == expected)
            var pushed: [String] = []
            while pushed.count < count {
                let seen = try await browser.nextMessage(push)
                if seen["text"]?.stringValue?.hasPrefix("message ") == true, let id = seen["id"]?.stringValue {
                    pushed.append(id)
                }
            }
            #expect(pushed == expected)
            let polled = try await client.call("GET", "/v1/events?\(query)&limit=1000").json["events"]?.arrayValue ?? []
            #expect(polled.filter(isMessage).compactMap { $0["id"]?.stringValue } == expected)
        }
    }

    @Test
    func `A request with an invalid push subscription is refused`() async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { _ in .status(201) }
            let good = try Browser().makeSubscription(receiver, "x").objectValue ?? JSONObject()
            let keys = good["keys"]?.objectValue ?? JSONObject()
            func with(_ name: String, _ value: JSONValue) -> JSONValue {
                var body = good
                body[name] = value
                return .object(body)
            }
            func withKey(_ name: String, _ value: JSONValue) -> JSONValue {
                var changed = keys
                changed[name] = value
                return with("keys", .object(changed))
            }
            let bodies = [
                [:], with("endpoint", "https://10.0.0.1/"), with("endpoint", "ftp://example.org/"), with("endpoint", 1),
                with("keys", [:]), with("keys", []), withKey("p256dh", ""),
                withKey("p256dh", .string(Base64URL.encode([4] + [UInt8](repeating: 1, count: 64)))),
                withKey("p256dh", .string(Base64URL.encode([UInt8](repeating: 0, count: 65)))),
                withKey("auth", "AAAA"), withKey("auth", "!"), with("expirationTime", 1), with("expirationTime", -1),
                with("expirationTime", 1e300), with("expirationTime", "x"),
                with("users", [0]), with("chats", ["x"]), with("name", ""), with("mentionsOnly", 1),
            ]
            for body in bodies {
                #expect(try await client.post("/v1/push-subscriptions", body).status == 422, "\(body.text)")
            }
            #expect(try await client.post("/v1/push-subscriptions", with("colour", 1)).status == 400)
            #expect(try await client.call("GET", "/v1/push-subscriptions").json["subscriptions"] == [])
            let key = try await client.post("/v1/keys", ["name": "reader", "scopes": ["read", "events"]]).json["key"]?
                .stringValue
            let reader = try await HTTPClient.connect(port: gateway.port, key: key)
            #expect(try await reader.post("/v1/push-subscriptions", .object(good)).status == 403)
        }
    }
}
