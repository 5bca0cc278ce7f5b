import Gateway
import JSON
import TestSupport
import Testing

@Suite("Contents of a session", .socketTimeLimit)
struct SessionViewTests {
    private func openSession(_ client: HTTPClient, _ user: Int64) async throws -> String {
        try #require(try await client.call("POST", "/v1/users/\(user)/sessions").header("location"))
    }

    private func itemTexts(_ session: JSONValue?, _ list: String) -> [JSONValue?] {
        // The text of a voice message begins with the kind of the message, so only the last part is compared.
        session?[list]?["reversedChatItems"]?.arrayValue?.map { item in
            item["meta"]?["itemText"]?.stringValue?.split(separator: "; ").last.map { .string(String($0)) }
        } ?? []
    }

    @Test
    func `The second message list of a session contains only the requested type of content and has its own pages`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            let place = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages"
            func send(_ kind: String, _ names: [String]) async throws {
                let contents = names.map { name -> JSONValue in
                    let content: JSONValue =
                        kind == "voice"
                        ? ["type": "voice", "text": .string(name), "duration": 1]
                        : ["type": "text", "text": .string(name)]
                    return ["msgContent": content, "mentions": [:]]
                }
                #expect(try await client.post(place, ["composedMessages": .array(contents)]).status == 201)
            }
            try await send("voice", (1...5).map { "voice \($0)" })
            for round in 0..<3 { try await send("text", (1...20).map { "text \(round * 20 + $0)" }) }
            let session = try await openSession(client, alice)
            let opened = try await client.put(
                session + "/chat",
                ["chatType": "direct", "chatId": .integer(bobOfAlice)]
            ).json["session"]
            #expect(itemTexts(opened, "im") == (11...60).reversed().map { .string("text \($0)") })
            var follower = try await ModelFollower(client, session, "session")
            let second = try await client.put(session + "/secondary", ["contentTag": "voice", "limit": 3]).json[
                "session"
            ]
            #expect(
                second?["secondaryIM"]?["secondaryIMFilter"] == ["type": "msgContentTagContext", "contentTag": "voice"]
            )
            #expect(
                second?["secondaryIM"]?["isLoading"] == false && second?["secondaryIM"]?["showLoadingProgress"] == nil
            )
            #expect(itemTexts(second, "secondaryIM") == ["voice 5", "voice 4", "voice 3"])
            let changes = try await client.call("GET", "\(session)/changes?cursor=\(follower.cursor)").text
            #expect(changes.contains(#""isLoading":true"#))
            let oldest = try #require(
                second?["secondaryIM"]?["reversedChatItems"]?[2]?["meta"]?["itemId"]?.integerValue
            )
            let page = try await client.post(
                "\(session)/messages",
                ["list": "secondary", "before": .integer(oldest), "limit": 10]
            ).json["session"]
            #expect(itemTexts(page, "secondaryIM") == (1...5).reversed().map { .string("voice \($0)") })
            #expect(page?["secondaryIM"]?["lastItemsLoaded"] == true && itemTexts(page, "im").count == 50)
            try await send("voice", ["voice 6"])
            try await send("text", ["text 61"])
            try await follower.advance { itemTexts($0, "im").first == "text 61" }
            #expect(
                itemTexts(follower.document, "secondaryIM").first == "voice 6"
                    && itemTexts(follower.document, "im")[1] == "voice 6"
            )
            try await follower.expectServerDocument()
            #expect(try await client.call("DELETE", session + "/secondary").json["session"]?["secondaryIM"] == nil)
            #expect(try await client.post(session + "/messages", ["list": "secondary"]).status == 409)
            try await follower.expectServerDocument()
        }
    }

    @Test
    func `A session's filter by a tag shows the tag's new name, and is removed when the tag is deleted`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let session = try await openSession(client, alice)
            let made = try await client.post("/v1/users/\(alice)/tags", ["text": "work"]).json["userTags"]?[0]
            let tag = try #require(made)
            let id = try #require(tag["chatTagId"]?.integerValue)
            _ = try await client.call("GET", "/v1/users/\(alice)/model")
            #expect(
                try await client.put(session + "/filter", ["type": "userTag", "chatTag": tag]).json["session"]?[
                    "activeFilter"
                ]?["chatTag"] == tag
            )
            let unknown: JSONValue = ["type": "userTag", "chatTag": ["chatTagId": 99, "chatTagText": "none"]]
            #expect(try await client.put(session + "/filter", unknown).status == 404)
            var follower = try await ModelFollower(client, session, "session")
            _ = try await client.put("/v1/users/\(alice)/tags/\(id)", ["text": "office"])
            try await follower.advance { $0["activeFilter"]?["chatTag"]?["chatTagText"] == "office" }
            _ = try await client.call("DELETE", "/v1/users/\(alice)/tags/\(id)")
            try await follower.advance { $0["activeFilter"] == nil }
            try await follower.expectServerDocument()
        }
    }

    @Test
    func `An idle session ends, unless a client has an open stream of its changes`() async throws {
        try await RealGateway.run(serving: {
            $0.sessionLifetimeSeconds = 3; $0.heartbeatSeconds = 1
        }) { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let state = try await client.call("GET", "/v1/users/\(alice)/model").json
            let cursor = try #require(state["id"]?.stringValue)
            let kept = try await openSession(client, alice)
            let start = try #require(try await client.call("GET", kept).json["id"]?.stringValue)
            let reader = try await gateway.connectClient()
            try await reader.send(
                "GET",
                "\(kept)/changes?cursor=\(start)",
                headers: [("Accept", "application/x-ndjson")]
            )
            #expect(try await reader.receiveHead().status == 200)
            let left = try await openSession(client, alice)
            func waitForText() async throws -> [String] {
                try await client.call("GET", "/v1/users/\(alice)/sessions").json["sessions"]?.arrayValue?.compactMap {
                    $0["sessionId"]?.stringValue
                } ?? []
            }
            // A session expires by the clock, without an event, so the test asks repeatedly.
            try await waitUntil("the session of which nothing is asked ends", every: .milliseconds(50)) {
                try await waitForText().count == 1
            }
            #expect(try await waitForText().map { "/v1/users/\(alice)/sessions/\($0)" } == [kept])
            for (method, end) in [
                ("GET", ""), ("DELETE", ""), ("POST", "/messages"), ("POST", "/members"), ("DELETE", "/chat"),
                ("DELETE", "/filter"),
                ("DELETE", "/secondary"), ("GET", "/changes?cursor=\(start)"),
            ] {
                #expect(try await client.call(method, left + end).status == 404, "\(method) \(end)")
            }
            #expect(try await client.put(left + "/chat", ["chatType": "local", "chatId": 1]).status == 404)
            _ = try await client.put(kept + "/filter", ["type": "unread"])
            var text = ""
            while !text.contains("unread") {
                text += String(decoding: try #require(try await reader.receiveChunk()), as: UTF8.self)
            }
            await reader.connection.close()
            // Without a stream, the session ends. Requests for changes do not keep the profile's state in memory, so
            // they get 410.
            try await client.waitForStatus(410, at: "/v1/users/\(alice)/model/changes?cursor=\(cursor)")
            #expect(try await client.call("GET", kept).status == 404)
            var follower = try await ModelFollower(client, "/v1/users/\(alice)/model")
            try await follower.expectServerDocument()
        }
    }

    @Test
    func `A chat that is opened in a session shows the subscription status of the chat's connection at once`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            func opened() async throws -> (path: String, status: JSONValue?) {
                let session = try await openSession(client, alice)
                let answer = try await client.put(
                    session + "/chat",
                    ["chatType": "direct", "chatId": .integer(bobOfAlice)]
                )
                return (session, try answer.json["session"]?["chatSubStatus"])
            }
            let first = try await opened()
            #expect(first.status == ["type": "active"])
            var follower = try await ModelFollower(client, first.path, "session")
            await gateway.relay.stopAndWait()
            try await follower.advance { $0["chatSubStatus"] == ["type": "pending"] }
            #expect(try await opened().status == ["type": "pending"])
            try await follower.expectServerDocument()
        }
    }
}
