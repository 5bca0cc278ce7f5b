import ChatAPI
import ChatCore
import ChatStore
import Files
import JSON
import OutgoingHTTP
import SMPTestSupport
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Web Push", .socketTimeLimit) struct WebPushTests {
    /// The browser's side of a subscription: its keys, and the decryption of messages.
    private struct Browser: Sendable {
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
    private static func decrypt(_ body: [UInt8], _ key: P256.PrivateKey, _ secret: [UInt8]) throws -> [UInt8] {
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

    private static func makeKey(_ number: String, _ point: String) throws -> P256.PrivateKey {
        try P256.PrivateKey(rawRepresentation: SecretBytes(Base64URL.decode(number) + Base64URL.decode(point)))
    }

    @Test
    func `The example of RFC 8291 is encrypted and decrypted as in the RFC`() throws {
        let sender = try Self.makeKey(
            "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        )
        let receiver = try Self.makeKey(
            "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        )
        let (secret, salt) = (
            try Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"), try Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw")
        )
        #expect(
            try Base64URL.encode(sender.sharedSecret(with: receiver.publicKey).bytes, padding: false)
                == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"
        )
        let text = Array("When I grow up, I want to be a watermelon".utf8)
        let body = try WebPushCipher.encrypt(
            text,
            padding: 0,
            for: receiver.publicKey,
            secret: secret,
            key: sender,
            salt: salt
        )
        #expect(
            Base64URL.encode(body, padding: false)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
        #expect(try Self.decrypt(body, receiver, secret) == text)
    }

    @Test
    func `The example of RFC 8188 has the same keys and the same encrypted text as in the RFC`() throws {
        let salt = try Base64URL.decode("I1BsxtFttlv3u_Oo94xnmw")
        let keys = WebPushCipher.deriveContentKeys(
            SecretBytes(try Base64URL.decode("yqdlZ-tYemfogSmv7Ws5PQ")),
            salt: salt
        )
        #expect(Base64URL.encode(keys.key.bytes, padding: false) == "_wniytB-ofscZDh4tbSjHw")
        #expect(Base64URL.encode(keys.nonce, padding: false) == "Bcs8gkIRKLI8GeI8")
        let text = try AES128GCM.open(
            Base64URL.decode("-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"),
            key: keys.key,
            nonce: keys.nonce
        )
        #expect(text == Array("I am the walrus".utf8) + [2])
        let sealed = try AES128GCM.seal(text, key: keys.key, nonce: keys.nonce)
        #expect(Base64URL.encode(sealed, padding: false) == "-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
        #expect(throws: CryptoError.authenticationFailed) {
            try AES128GCM.open(sealed.dropLast() + [sealed.last.map { $0 ^ 1 } ?? 0], key: keys.key, nonce: keys.nonce)
        }
    }

    @Test
    func `Messages are padded to one of five sizes, and a message above the limit is refused`() throws {
        let browser = try Browser()
        var sizes: Set<Int> = []
        for count in [0, 1, 511, 512, 513, 2_000, WebPushCipher.maxMessageBytes - 1, WebPushCipher.maxMessageBytes] {
            let body = try WebPushCipher.encrypt(
                [UInt8](repeating: 65, count: count),
                for: browser.key.publicKey,
                secret: browser.secret
            )
            #expect(try Self.decrypt(body, browser.key, browser.secret).count == count)
            sizes.insert(body.count)
        }
        #expect(sizes.count <= 5 && sizes.max() == 4_096)
        #expect(throws: CryptoError.messageTooLarge) {
            try WebPushCipher.encrypt(
                [UInt8](repeating: 65, count: WebPushCipher.maxMessageBytes + 1),
                for: browser.key.publicKey,
                secret: browser.secret
            )
        }
        #expect(throws: CryptoError.self) {
            try WebPushCipher.encrypt([65], for: [4] + [UInt8](repeating: 1, count: 64), secret: browser.secret)
        }
    }

    @Test
    func `The VAPID token contains sender, audience and expiry, and is signed with the given key`() throws {
        let sender = PushSender(privateKey: try P256.PrivateKey(), contact: "mailto:me@example.org")
        let field = try sender.makeAuthorization(for: "https://push.example:8443", now: 1_000)
        let parts = field.dropFirst("vapid t=".count).split(separator: ", k=").map(String.init)
        #expect(field.hasPrefix("vapid t=") && parts.count == 2 && parts[1] == sender.publicKey)
        let token = parts[0].split(separator: ".").map(String.init)
        #expect(try JSONValue(parsing: Base64URL.decode(token[0])) == ["typ": "JWT", "alg": "ES256"])
        #expect(
            try JSONValue(parsing: Base64URL.decode(token[1])) == [
                "aud": "https://push.example:8443", "exp": 44_200, "sub": "mailto:me@example.org",
            ]
        )
        let signed = Array("\(token[0]).\(token[1])".utf8)
        let signature = try Base64URL.decode(token[2])
        #expect(P256.isValid(signature, of: signed, by: sender.privateKey.publicKey))
        #expect(!P256.isValid(signature, of: signed + [0], by: sender.privateKey.publicKey))
        for text in ["", "me@example.org", "http://a", "mailto:a\"b", "mailto:a b", "https://ä"] {
            #expect(!PushSender.isContact(text), "\(text)")
        }
    }

    private func addSubscription(_ client: HTTPClient, _ body: JSONValue) async throws -> String {
        let answer = try await client.post("/v1/push-subscriptions", body)
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(try answer.json["subscriptionId"]?.stringValue)
        #expect(answer.header("location") == "/v1/push-subscriptions/\(id)")
        return id
    }

    @Test
    func `A browser gets notifications of its requested events, and the message text only on request`() async throws {
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
            // The chat is muted, and then unmuted.
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
    func `A repeated subscription keeps its id, and a subscription unknown to the push service is removed`(
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

    // MARK: Notifications from the journal

    /// Returns the event of a message to the user.
    private static func makeEvent(_ contact: Int64, mention: Bool = false) -> String {
        """
        {"type":"newChatItems","user":{"showNtfs":true},"chatItems":[{"chatInfo":{"type":"direct","contact":{"contactId":\(contact),"localDisplayName":"bob"}},\
        "chatItem":{"chatDir":{"type":"directRcv"},"content":{"type":"rcvMsgContent"},\
        "meta":{"itemText":"hi","itemStatus":{"type":"rcvNew"}\(mention ? #","userMention":true"# : "")}}}]}
        """
    }

    private func storeSubscription(
        _ world: DeliveryWorld,
        _ browser: Browser,
        to receiver: HTTPReceiver,
        expires: Int64? = nil,
        _ change: (inout PushSubscription) -> Void = { _ in }
    ) async throws {
        let text = "http://127.0.0.1:\(receiver.port)/ps_1"
        var push = PushSubscription(
            endpoint: try TargetURL(text),
            endpointText: text,
            publicKey: browser.key.publicKey,
            secret: browser.secret,
            expires: expires,
            rights: SubscriptionRights(Principal(keyID: world.keyId, scopes: .events, userId: nil))
        )
        change(&push)
        let subscription = EventSubscription(
            id: "ps_1",
            kind: EventReceivers.pushKind,
            keyId: world.keyId,
            settings: push.storedSettings,
            position: world.journal.latestSeq,
            created: WallClock.milliseconds()
        )
        #expect(try await world.subscriptions.add(subscription, limit: 10, share: 10))
    }

    private var nowText: String { Timestamp.now.fullText }

    @Test
    func `A notification that the push service refuses is sent again in order with its id, unless it is too large`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let browser = try Browser()
            let answers = Mutex([429, 500, 201, 413])
            let receiver = try await HTTPReceiver.start { _ in
                let status = answers.withLock { $0.isEmpty ? 201 : $0.removeFirst() }
                return .status(status, status == 429 ? [("Retry-After", "0")] : [])
            }
            let silent = Atomic(false)
            let door = try await HTTPReceiver.start { _ in silent.load(ordering: .relaxed) ? .silence : .status(201) }
            try await storeSubscription(world, browser, to: receiver)
            try await world.withDelivery { _ in
                world.journal.publish(
                    events: [Self.makeEvent(1), Self.makeEvent(1), Self.makeEvent(1)],
                    userId: 1,
                    time: nowText
                )
                let ids = try await receiver.nextRequests(5).map { try browser.decryptMessage($0)["id"]?.stringValue }
                #expect(ids == ["test-1", "test-1", "test-1", "test-2", "test-3"])
                try await world.waitUntilTaken(3, "ps_1")
            }
            try await world.subscriptions.delete("ps_1")
            try await storeSubscription(world, browser, to: door)
            silent.store(true, ordering: .relaxed)
            try await world.withDelivery { _ in
                world.journal.publish(events: [Self.makeEvent(1)], userId: 1, time: nowText)
                let seen = try await browser.nextMessage(door)
                #expect(seen["id"] == "test-4")
            }
            silent.store(false, ordering: .relaxed)
            try await world.withDelivery { _ in
                let seen = try await browser.nextMessage(door)
                #expect(seen["id"] == "test-4")
                try await world.waitUntilTaken(4, "ps_1")
            }
        }
    }

    @Test
    func `A subscription for mentions gets only new mentions`() async throws {
        try await DeliveryWorld.run { world in
            let browser = try Browser()
            let receiver = try await HTTPReceiver.start { _ in .status(201) }
            try await storeSubscription(world, browser, to: receiver) { $0.isOnlyForMentions = true }
            try await world.withDelivery { _ in
                world.journal.publish(
                    events: [Self.makeEvent(1), Self.makeEvent(2, mention: true)],
                    userId: 1,
                    time: nowText
                )
                world.journal.publish(events: [Self.makeEvent(3, mention: true)], userId: 1)
                world.publish([4])
                world.journal.publish(events: [Self.makeEvent(5, mention: true)], userId: 1, time: nowText)
                let seen = try await receiver.nextRequests(2).map { try browser.decryptMessage($0) }
                #expect(
                    Set(seen.compactMap { $0["id"]?.stringValue }) == ["test-2", "test-5"]
                        && seen.allSatisfy { $0["mention"] == true }
                )
                try await world.waitUntilTaken(5, "ps_1")
            }
            #expect(receiver.requests.count == 2)
        }
    }

    @Test
    func `A subscription is deleted at its expiry, even during a delivery`() async throws {
        try await DeliveryWorld.run { world in
            let browser = try Browser()
            let receiver = try await HTTPReceiver.start { _ in .silence }
            for seconds: Int64 in [-1_000, 50] {
                try await storeSubscription(world, browser, to: receiver, expires: WallClock.milliseconds() + seconds)
                try await world.withDelivery { _ in
                    world.journal.publish(events: [Self.makeEvent(1)], userId: 1, time: nowText)
                    try await waitUntil("the subscription is deleted") {
                        try await world.storedSubscription("ps_1") == nil
                    }
                }
            }
        }
    }

    @Test
    func `An invalid subscription is refused`() async throws {
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

    @Test
    func `A new message or call causes a notification, unless its chat or profile is muted`() throws {
        func item(
            _ status: String,
            settings: String = "all",
            mention: Bool = false,
            deleted: Bool = false,
            content: String = "rcvMsgContent"
        ) -> JSONValue {
            var meta: JSONObject = [
                "itemText": "hi", "userMention": .bool(mention), "itemStatus": ["type": .string(status)],
            ]
            if deleted { meta["itemDeleted"] = ["type": "deleted"] }
            return [
                "chatInfo": [
                    "type": "group",
                    "groupInfo": [
                        "groupId": 3, "localDisplayName": "team", "chatSettings": ["enableNtfs": .string(settings)],
                    ],
                ],
                "chatItem": [
                    "chatDir": ["type": "groupRcv", "groupMember": ["localDisplayName": "ann"]],
                    "content": ["type": .string(content)], "meta": .object(meta),
                ],
            ]
        }
        func event(_ items: JSONValue..., show: Bool = true) -> JSONValue {
            ["type": "newChatItems", "user": ["showNtfs": .bool(show)], "chatItems": .array(items)]
        }
        let note = try #require(PushNote(event(item("rcvNew"))))
        #expect(
            note.title == "team" && note.text == "ann: hi" && note.chat == EventChat(.group, 3)
                && note.urgency == .normal && !note.isMention
        )
        #expect(PushNote(event(item("sndNew"))) == nil && PushNote(event(item("rcvNew", settings: "none"))) == nil)
        #expect(
            PushNote(event(item("rcvNew", settings: "mentions"))) == nil
                && PushNote(event(item("rcvNew"), show: false)) == nil
        )
        #expect(PushNote(event(item("rcvNew", deleted: true))) == nil && PushNote(event()) == nil)
        #expect(PushNote(event(item("rcvRead"))) == nil && PushNote(event(item("rcvNew", content: "rcvCall"))) == nil)
        let mention = try #require(PushNote(event(item("rcvNew", settings: "mentions", mention: true), item("rcvNew"))))
        #expect(mention.isMention && mention.urgency == .high)
        let call: JSONValue = [
            "type": "callInvitation",
            "callInvitation": ["user": ["showNtfs": true], "contact": ["contactId": 4, "localDisplayName": "bob"]],
        ]
        #expect(PushNote(call)?.urgency == .high && PushNote(call)?.chat == EventChat(.direct, 4))
        for odd: JSONValue in [
            [:], ["type": "contactConnected"], ["type": 1], ["type": "newChatItems", "chatItems": 1],
            ["type": "newChatItems", "chatItems": [1, [:]]],
        ] {
            #expect(PushNote(odd) == nil)
        }
    }
}
