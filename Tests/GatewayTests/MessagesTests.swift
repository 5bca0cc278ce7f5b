import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct MessagesTests {
    @Test
    func `A note to self is answered without waiting for a delivery, and options of sent messages are refused`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let notes = "/v1/users/1/chats/local/1/messages"
            let made = try await client.post(notes + "?wait=delivered&timeout=60&fields=ids", ["text": "a note"])
            #expect(try made.status == 201 && made.json["items"]?.arrayValue?.count == 1, "\(made.text)")
            for name in ["live", "sendAsGroup", "sign"] {
                let answer = try await client.post(notes, ["text": "a note", name: true])
                let detail = try answer.json["detail"]?.stringValue
                #expect(answer.status == 422 && detail?.contains(name) == true, "\(answer.text)")
            }
            #expect(try await client.post(notes, ["text": "a note", "ttl": 60]).status == 422)
        }
    }

    @Test
    func `A message between two connected profiles is shown in the recipient's chat`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            let sent = try await client.post(
                "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages",
                textMessage("hello")
            )
            #expect(sent.status == 201)
            let place = try #require(sent.header("location"))
            #expect(try await client.call("GET", place).json["type"] == "chatItemInfo")
            var cursor: String?
            // Items about the features of the chat arrive before the message, so the test waits for the text.
            while try await !client.waitForEvent(after: &cursor, "newChatItems", user: bob).text.contains("hello") {}
            let chat = try await client.call("GET", "/v1/users/\(bob)/chats/direct/\(aliceOfBob)?limit=50").json
            let texts = chat["chat"]?["chatItems"]?.arrayValue?.compactMap {
                $0["content"]?["msgContent"]?["text"]?.stringValue
            }
            #expect(texts?.contains("hello") == true)
            let list = try await client.call("GET", "/v1/users/\(bob)/chats").json
            #expect(list["type"] == "apiChats")
        }
    }

    @Test
    func `The delivery steps of a message can be read page by page, and a path with a wrong chat gets 404`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            let sent = try await client.post(
                "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages?wait=delivered&timeout=60",
                textMessage("hello")
            )
            #expect(sent.status == 201, "\(sent.text)")
            let place = try #require(sent.header("location"))
            let trace = try await client.call("GET", place + "/trace")
            let steps = try trace.json["steps"]?.arrayValue
            #expect(steps?.prefix(3).map { $0["step"] } == ["accepted", "committed", "atRelay"], "\(trace.text)")
            #expect(steps?.dropFirst().allSatisfy { $0["contactId"] == .integer(bobOfAlice) } == true)
            let page = try await client.call("GET", place + "/trace?limit=1").json
            #expect(page["steps"]?.arrayValue?.count == 1 && page["next"]?.stringValue != nil)
            let item = try #require(place.split(separator: "/").last)
            for path in [
                "local/1/messages/\(item)", "direct/99/messages/\(item)", "contactConnection/1/messages/\(item)",
            ] {
                let answer = try await client.call("GET", "/v1/users/\(alice)/chats/\(path)/trace")
                #expect(answer.status == 404, "\(path): \(answer.text)")
            }
        }
    }

    @Test
    func `A changed profile is shown in every answer after the change`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            for index in 0..<30 {
                let change: JSONValue = ["profile": ["displayName": .string("alice\(index)"), "fullName": ""]]
                _ = try await client.call("PUT", "/v1/users/\(alice)/profile", body: change.text)
                let active = try await client.call("GET", "/v1/users/active").json
                #expect(active["user"]?["profile"]?["displayName"] == .string("alice\(index)"))
                #expect(try await client.call("GET", "/v1/users/active").json == active)
            }
        }
    }

    @Test
    func `A request for an unknown chat gets 404, and an invalid parameter or body gets 400 or 422`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/direct/77").status == 404)
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/wrong/1").status == 400)
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/direct/1?limit=many").status == 400)
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/group/1").status == 404)
            #expect(
                try await client.post("/v1/users/\(alice)/chats/direct/77/messages", ["composedMessages": []]).status
                    == 422
            )
            #expect(try await client.post("/v1/users/\(alice)/connections", ["connLink": "no link"]).status == 422)
        }
    }

    @Test
    func `Notes can be written, listed, changed, searched, forwarded and deleted over HTTP`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            let notes = "/v1/users/\(alice)/chats/local/1"
            let made = try await client.post("/v1/users/\(alice)/chats/local/1/messages", textMessage("a note"))
            #expect(made.status == 201)
            let place = try #require(made.header("location"))
            #expect(place.hasPrefix("\(notes)/messages/"))
            let noteId = try #require(try made.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"])
            let change: JSONValue = [
                "updatedMessage": ["msgContent": ["type": "text", "text": "a note, changed"], "mentions": [:]]
            ]
            #expect(try await client.call("PATCH", place, body: change.text).json["type"] == "chatItemUpdated")
            #expect(try await client.call("PATCH", place, body: change.text).json["type"] == "chatItemNotChanged")
            let info = try await client.call("GET", place).json
            #expect(info["chatItemInfo"]?["itemVersions"]?.arrayValue?.count == 2)
            #expect(
                try await client.call("GET", "\(notes)?search=changed").json["chat"]?["chatItems"]?.arrayValue?.count
                    == 1
            )
            #expect(try await client.call("GET", "\(notes)?contentType=image").json["chat"]?["chatItems"] == [])
            #expect(
                try await client.call("GET", "\(notes)?contentType=text").json["chat"]?["chatItems"]?.arrayValue?.count
                    == 1
            )
            #expect(try await client.call("GET", "\(notes)/content-types").json["contentTypes"] == ["text"])
            let list = try await client.call("GET", "/v1/users/\(alice)/chats").json
            #expect(list["chats"]?.arrayValue?.contains { $0["chatInfo"]?["type"] == "local" } == true)
            #expect(try await client.post("\(notes)/read", [:]).status == 200)
            #expect(try await client.patch(notes, ["unread": true]).status == 200)
            #expect(
                try await client.post("\(notes)/messages/1/reactions", ["reaction": ["type": "emoji", "emoji": "👍"]])
                    .status == 422
            )

            let plan = try await client.post("\(notes)/forward-plan", ["itemIds": [noteId]])
            #expect(try plan.json["chatItemIds"] == [noteId])
            let forwarded = try await client.post(
                "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/forwards",
                ["fromChatType": "local", "fromChatId": 1, "itemIds": [noteId]]
            )
            #expect(forwarded.status == 201)
            var cursor: String?
            while try await !client.waitForEvent(after: &cursor, "newChatItems", user: bob).text.contains(
                "a note, changed"
            ) {}

            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/local/2").status == 404)
            let deleted = try await client.call(
                "DELETE",
                "\(notes)/messages?itemIds=\(noteId.integerValue ?? 0)&mode=internal"
            )
            #expect(try deleted.json["chatItemDeletions"]?.arrayValue?.count == 1)
            #expect(try await client.call("GET", place).status == 404)
            #expect(try await client.post("\(notes)/messages/read", ["itemIds": [noteId]]).status == 422)
        }
    }

    @Test
    func `One request sends several messages of different types, and invalid messages are refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            let place = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)"
            func send(_ contents: [JSONValue], _ more: [String: JSONValue] = [:]) async throws -> HTTPClient.Answer {
                var body: JSONObject = [
                    "composedMessages": .array(contents.map { ["msgContent": $0, "mentions": [:]] })
                ]
                for (key, value) in more { body[key] = value }
                return try await client.post("\(place)/messages", .object(body))
            }
            let sent = try await send([
                ["type": "text", "text": "one"], ["type": "image", "text": "", "image": "data:image/png;base64,AA=="],
                ["type": "voice", "text": "", "duration": 4], ["type": "future", "text": "later", "x": 1],
            ])
            #expect(sent.status == 201)
            #expect(try sent.json["chatItems"]?.arrayValue?.count == 4)
            #expect(
                try await client.call("GET", "\(place)/content-types").json["contentTypes"] == [
                    "future", "image", "text", "voice",
                ]
            )
            #expect(
                try await client.call("GET", "\(place)?contentType=voice").json["chat"]?["chatItems"]?.arrayValue?.count
                    == 1
            )
            #expect(try await send([["type": "report", "text": "", "reason": "spam"]]).status == 422)
            #expect(
                try await send([["type": "text", "text": "a"], ["type": "text", "text": "b"]], ["live": true]).status
                    == 422
            )
            #expect(
                try await send([["type": "text", "text": .string(String(repeating: "y", count: 16_000))]]).status == 413
            )
            #expect(try await send([]).status == 422)
            #expect(try await client.post("\(place)/share", ["toChatType": "direct", "toChatId": 1]).status == 422)
            #expect(try await client.post("\(place)/share-address", [:]).status == 404)
            #expect(try await client.post("/v1/users/\(alice)/address", [:]).status == 201)
            let card = try await client.post("\(place)/share-address", [:])
            #expect(card.status == 200)
            let content = try #require(try card.json["msgContent"])
            #expect(content["type"] == "chat" && content["chatLink"]?["profile"]?["displayName"] == "alice")
            #expect(try await send([content]).status == 201)
        }
    }
}
