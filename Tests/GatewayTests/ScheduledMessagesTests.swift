import ChatAPI
import ChatCore
import Files
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Scheduled messages over HTTP", .socketTimeLimit) struct ScheduledMessagesTests {
    private let path = "/v1/users/1/scheduled-messages"
    private let tomorrow: JSONValue = .string(Timestamp.now.adding(seconds: 86_400).fullText)

    private func makeMessage(_ contact: Int64, _ text: String, at time: JSONValue? = nil) -> JSONValue {
        var body: JSONObject = [
            "to": ["chatType": "direct", "chatId": .integer(contact)], "text": .string(text),
        ]
        body["sendAt"] = time
        return .object(body)
    }

    private func readTexts(_ client: HTTPClient, _ contact: Int64) async throws -> [String] {
        let chat = try await client.call("GET", "/v1/users/1/chats/direct/\(contact)").json["chat"]
        return (chat?["chatItems"]?.arrayValue ?? []).compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }
    }

    @Test
    func `A scheduled message can be read, changed and cancelled over HTTP`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let made = try await client.post(path, makeMessage(contact, "one", at: tomorrow))
            let id = try #require(made.json["scheduledId"]?.integerValue)
            #expect(made.status == 202 && made.header("location") == "\(path)/\(id)", "\(made.text)")
            #expect(try made.json["state"] == "waiting" && made.json["sendAt"] == tomorrow)
            let read = try await client.call("GET", "\(path)/\(id)")
            let tag = read.header("etag")
            #expect(try read.json == made.json && tag != nil)
            let changed = try await client.patch(
                "\(path)/\(id)",
                [
                    "composedMessages": [
                        ["msgContent": ["type": "text", "text": "two"], "mentions": [:]]
                    ]
                ],
                ifMatch: tag
            )
            #expect(try changed.status == 200 && changed.json["sendAt"] == tomorrow, "\(changed.text)")
            #expect(try changed.json["composedMessages"]?[0]?["msgContent"]?["text"] == "two")
            let stale = try await client.patch("\(path)/\(id)", ["sendAt": nil], ifMatch: tag)
            #expect(try stale.status == 412 && stale.json["code"] == "preconditionFailed", "\(stale.text)")
            #expect(try await client.call("DELETE", "\(path)/\(id)").status == 204)
            #expect(try await client.call("DELETE", "\(path)/\(id)").status == 404)
            #expect(try await client.call("GET", "\(path)/\(id)").status == 404)
            #expect(try await client.patch("\(path)/\(id)", ["ttl": 5]).status == 404)
        }
    }

    @Test
    func `A scheduled message is sent immediately if a client removes the message's time`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let id = try #require(
                try await client.post(path, makeMessage(contact, "now", at: tomorrow)).json["scheduledId"]?.integerValue
            )
            #expect(try await client.patch("\(path)/\(id)", ["sendAt": nil]).status == 200)
            try await waitUntil("the message is sent") {
                try await client.call("GET", "\(path)/\(id)").json["state"] == "sent"
            }
            let sent = try await client.call("GET", "\(path)/\(id)").json
            #expect(sent["itemIds"]?.arrayValue?.count == 1 && sent["composedMessages"] == nil)
            #expect(try await readTexts(client, contact).contains("now"))
            #expect(try await client.call("DELETE", "\(path)/\(id)").status == 409)
            #expect(try await client.patch("\(path)/\(id)", ["ttl": 5]).status == 409)
        }
    }

    @Test
    func `A repeated request with an idempotency key schedules one message`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let headers = [("Idempotency-Key", "a")]
            let first = try await client.post(path, makeMessage(contact, "one", at: tomorrow), headers: headers)
            let again = try await client.post(path, makeMessage(contact, "one", at: tomorrow), headers: headers)
            #expect(try first.json == again.json && again.header("idempotent-replayed") == "true")
            let list = try await client.call("GET", path).json
            #expect(list["scheduledMessages"]?.arrayValue?.count == 1 && list["next"] == .null)
        }
    }

    @Test
    func `An uploaded file can be scheduled in only one message, and is deleted with this message`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            func upload() async throws -> JSONValue {
                try await client.send("POST", "/v1/users/1/files?name=a.bin", body: [1, 2, 3])
                let stored = try await client.receiveAnswer()
                #expect(stored.status == 201, "\(stored.text)")
                return try #require(stored.json["fileSource"])
            }
            func body(_ files: JSONValue...) -> JSONValue {
                let messages = files.map { file -> JSONValue in
                    ["fileSource": file, "msgContent": ["type": "file", "text": "it"], "mentions": [:]]
                }
                return [
                    "to": ["chatType": "direct", "chatId": .integer(contact)], "sendAt": tomorrow,
                    "composedMessages": .array(messages),
                ]
            }
            let file = try await upload()
            let headers = [("Idempotency-Key", "a")]
            let made = try await client.post(path, body(file), headers: headers)
            #expect(made.status == 202, "\(made.text)")
            #expect(try made.json["composedMessages"]?[0]?["fileSource"] == file)
            let again = try await client.post(path, body(file), headers: headers)
            #expect(try again.json == made.json)
            let other = try await upload()
            let wrong: [(JSONValue, Int)] = [
                (body(file), 404), (body(other, other), 422), (body(["filePath": "gone"]), 404),
            ]
            for (body, status) in wrong {
                let answer = try await client.post(path, body)
                #expect(answer.status == status, "\(body.text): \(answer.text)")
            }
            #expect(try await client.call("GET", path).json["scheduledMessages"]?.arrayValue?.count == 1)
            let cast = try await client.post(
                "/v1/users/1/broadcasts",
                [
                    "to": ["allContacts": true], "sendAt": tomorrow,
                    "composedMessages": body(other)["composedMessages"] ?? [],
                ]
            )
            #expect(cast.status == 202, "\(cast.text)")
            let id = try #require(made.json["scheduledId"]?.integerValue)
            #expect(try await client.call("DELETE", "\(path)/\(id)").status == 204)
            #expect(try await client.post(path, body(file)).status == 404)
        }
    }

    @Test
    func `A scheduled message with an invalid body or time is refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let wrong: [(JSONValue, Int)] = [
                (makeMessage(contact, "a", at: "2020-01-01T00:00:00Z"), 422),
                (makeMessage(contact, "a", at: "tomorrow"), 422),
                (makeMessage(contact, "a", at: "2999-01-01T00:00:00Z"), 422), (makeMessage(contact, ""), 422),
                (["text": "a"], 422), (["to": ["chatType": "local", "chatId": 1], "text": "a"], 422),
                (["to": ["chatType": "direct", "chatId": 0], "text": "a"], 422),
                (["to": ["chatType": "direct", "chatId": 1, "name": "a"], "text": "a"], 400),
                (makeMessage(99, "a"), 404),
                (["to": ["chatType": "direct", "chatId": 1], "text": "a", "live": true], 400),
            ]
            for (body, status) in wrong {
                let answer = try await client.post(path, body)
                #expect(answer.status == status, "\(body.text): \(answer.text)")
                #expect(try body["sendAt"] == nil || answer.json["code"] == "invalidValue", "\(answer.text)")
            }
            #expect(try await client.call("GET", path).json["scheduledMessages"] == [])
            for number in 1...3 { _ = try await client.post(path, makeMessage(contact, "\(number)", at: tomorrow)) }
            let page = try await client.call("GET", "\(path)?limit=2").json
            let ids = page["scheduledMessages"]?.arrayValue?.compactMap { $0["scheduledId"]?.integerValue } ?? []
            #expect(ids == ids.sorted(by: >) && ids.count == 2)
            let next = try #require(page["next"]?.stringValue)
            let last = try await client.call("GET", "\(path)?limit=2&cursor=\(next)").json
            #expect(last["scheduledMessages"]?.arrayValue?.count == 1 && last["next"] == .null)
            let back = try #require(last["prev"]?.stringValue)
            #expect(
                try await client.call("GET", "\(path)?limit=2&cursor=\(back)").json["scheduledMessages"]
                    == page["scheduledMessages"]
            )
            let other = try await client.call("GET", "/v1/users/2/scheduled-messages?cursor=\(next)")
            #expect(try other.status == 400 && other.json["code"] == "invalidCursor")
        }
    }

    @Test
    func `A message scheduled for a link is sent when the link has connected, and later ones go to the contact`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            #expect(alice == 1)
            let made = try await client.post("/v1/users/\(bob)/connections/invitations", [:])
            let link = try #require(try made.json["connLinkInvitation"]?["connFullLink"])
            let body: JSONValue = ["to": ["link": link], "text": "first"]
            let first = try await client.post(path, body, headers: [("Idempotency-Key", "a")])
            let again = try await client.post(path, body, headers: [("Idempotency-Key", "a")])
            #expect(first.status == 202, "\(first.text)")
            #expect(try first.json == again.json)
            let id = try #require(first.json["scheduledId"]?.integerValue)
            try await waitUntil("the message is sent") {
                try await client.call("GET", "\(path)/\(id)").json["state"] == "sent"
            }
            let chat = try await client.call("GET", "\(path)/\(id)").json["chat"]
            let contact = try #require(chat?["chatId"]?.integerValue)
            #expect(chat?["chatType"] == "direct")
            let named = try await client.post(path, ["to": ["contact": "bob"], "text": "second"])
            #expect(try named.status == 202 && named.json["chat"] == chat, "\(named.text)")
            let linked = try await client.post(path, ["to": ["link": link], "text": "third"])
            #expect(try linked.status == 202 && linked.json["chat"] == chat, "\(linked.text)")
            try await waitUntil("all messages are sent") { try await readTexts(client, contact).contains("third") }
            #expect(
                try await readTexts(client, contact).filter { ["first", "second", "third"].contains($0) }.count == 3
            )
            let wrong: [(JSONValue, Int)] = [
                (["contact": "nobody"], 404), (["contact": ""], 422), (["link": "no link"], 422), ([:], 422),
                (["contact": "bob", "link": link], 422), (["contact": "bob", "incognito": true], 422),
            ]
            for (to, status) in wrong {
                let answer = try await client.post(path, ["to": to, "text": "a"])
                #expect(answer.status == status, "\(to.text): \(answer.text)")
            }
        }
    }

    @Test
    func `A key of one chat can schedule messages only to this chat, and a revoked key's message is not sent`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(admin)
            let made = try await admin.post(
                "/v1/keys",
                ["name": "one", "scopes": ["read", "write"], "userId": 1, "chats": [.string("direct/\(contact)")]]
            ).json
            let keyId = try #require(made["record"]?["keyId"]?.stringValue)
            let client = try await HTTPClient.connect(port: gateway.port, key: made["key"]?.stringValue)
            #expect(try await client.post(path, makeMessage(contact + 1, "other", at: tomorrow)).status == 403)
            let scheduled = try await client.post(path, makeMessage(contact, "mine", at: tomorrow))
            #expect(scheduled.status == 202, "\(scheduled.text)")
            let id = try #require(scheduled.json["scheduledId"]?.integerValue)
            let foreign = try await admin.post(path, makeMessage(contact, "admin's", at: tomorrow)).json["scheduledId"]
            let list = try await client.call("GET", path).json["scheduledMessages"]?.arrayValue ?? []
            #expect(list.map { $0["scheduledId"]?.integerValue } == [id])
            #expect(try await client.call("GET", "\(path)/\(foreign?.integerValue ?? 0)").status == 404)
            #expect(try await admin.call("DELETE", "/v1/keys/\(keyId)").status == 204)
            // The test does not control the gateway's clock, so the test removes the time of the message.
            _ = try await gateway.core.changePlannedMessage(
                id,
                by: PlannedCaller(userId: 1, keyId: keyId, rights: .all)
            ) { _ in
                true
            } _: {
                $1 = nil
            }
            try await waitUntil("the message is refused") {
                try await admin.call("GET", "\(path)/\(id)").json["state"] == "failed"
            }
            let failed = try await admin.call("GET", "\(path)/\(id)").json
            #expect(failed["problem"]?["code"] == "forbidden" && failed["composedMessages"] == nil)
            #expect(try await readTexts(admin, contact).contains("mine") == false)
        }
    }
}
