import JSON
import Testing

@Suite struct MessagesTests {
    @Test("two profiles connect and one reads what the other wrote")
    func conversation() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let (alice, bob) = (try await client.user("alice"), try await client.user("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connect(alice, bob)
            let sent = try await client.post("/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages", textMessage("hello"))
            #expect(sent.status == 201)
            let place = try #require(sent.header("location"))
            #expect(try await client.call("GET", place).json["type"] == "chatItemInfo")
            var cursor: String?
            // The items with which a chat begins come first.
            while try await !client.event(after: &cursor, "newChatItems", user: bob).text.contains("hello") {}
            let chat = try await client.call("GET", "/v1/users/\(bob)/chats/direct/\(aliceOfBob)?count=50").json
            let texts = chat["chat"]?["chatItems"]?.arrayValue?.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }
            #expect(texts?.contains("hello") == true)
            let list = try await client.call("GET", "/v1/users/\(bob)/chats").json
            #expect(list["type"] == "apiChats")
        }
    }

    @Test("a read is never older than what was answered before it")
    func freshness() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let alice = try await client.user("alice")
            for index in 0..<30 {
                let change: JSONValue = ["profile": ["displayName": .string("alice\(index)"), "fullName": ""]]
                _ = try await client.call("PUT", "/v1/users/\(alice)/profile", body: change.text)
                let active = try await client.call("GET", "/v1/users/active").json
                #expect(active["user"]?["profile"]?["displayName"] == .string("alice\(index)"))
                #expect(try await client.call("GET", "/v1/users/active").json == active)
            }
        }
    }

    @Test("unknown chats and items are 404, wrong parameters 400, chats of rooms not built 501")
    func errors() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let alice = try await client.user("alice")
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/direct/77").status == 404)
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/wrong/1").status == 400)
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/direct/1?count=many").status == 400)
            #expect(try await client.call("GET", "/v1/users/\(alice)/chats/group/1").status == 501)
            #expect(try await client.post("/v1/users/\(alice)/chats/direct/77/messages", ["composedMessages": []]).status == 422)
            #expect(try await client.post("/v1/users/\(alice)/connections", ["connLink": "no link"]).status == 422)
        }
    }
}
