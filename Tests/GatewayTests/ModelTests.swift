import Gateway
import JSON
import TestSupport
import Testing

@Suite("The state of a profile", .socketTimeLimit)
struct ModelTests {
    @Test
    func `The state contains profiles, chats and counts, and an unchanged state is answered with 304`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("hello"))
            var follower = try await ModelFollower(client, "/v1/users/\(alice)/model")
            try await follower.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "hello" }
            let chat = try #require(follower.document["chats"]?[0])
            #expect(chat["id"] == .string("@\(bobOfAlice)"))
            #expect(follower.document["users"]?.arrayValue?.count == 2)
            #expect(follower.document["currentUser"]?["userId"] == .integer(alice))
            #expect(follower.document["lifecycle"]?["chatRunning"] == true)
            #expect(follower.document["totalUnreadCountForAllUsers"] != 0)
            let answer = try await client.call("GET", "/v1/users/\(alice)/model")
            let tag = try #require(answer.header("etag"))
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/model", headers: [("If-None-Match", tag)]).status
                    == 304
            )
            _ = try await client.call("POST", "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/read")
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/model", headers: [("If-None-Match", tag)]).status
                    == 200
            )
        }
    }

    @Test
    func `Patches show a client the messages, read marks and drafts of other clients`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            var follower = try await ModelFollower(client, "/v1/users/\(alice)/model")
            let chat = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)"
            _ = try await client.post("\(chat)/messages", textMessage("to bob"))
            try await follower.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "to bob" }
            try await follower.advance {
                $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemStatus"]?["type"] == "sndRcvd"
            }
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("to alice"))
            try await follower.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "to alice" }
            let unread = try #require(follower.document["chats"]?[0]?["chatStats"]?["unreadCount"]?.integerValue)
            #expect(unread > 0)
            _ = try await client.call("POST", "\(chat)/read")
            try await follower.advance { $0["chats"]?[0]?["chatStats"]?["unreadCount"] == 0 }
            let draft = "/v1/users/\(alice)/model/drafts/direct/\(bobOfAlice)"
            #expect(try await client.call("PUT", draft, body: #"{"message":"not yet"}"#).status == 204)
            try await follower.advance { $0["drafts"]?["@\(bobOfAlice)"]?["message"] == "not yet" }
            #expect(try await client.call("DELETE", draft).status == 204)
            try await follower.advance { $0["drafts"] == .object(JSONObject()) }
            #expect(
                try await client.call("PUT", "/v1/users/\(alice)/model/drafts/direct/999", body: #"{"message":""}"#)
                    .status == 404
            )
            try await follower.expectServerDocument()
        }
    }

    @Test
    func `A key for one profile reads only the state of this profile`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            let key = try KeyFile(folder: gateway.folder).addKey(name: "bob", scopes: [.read, .events], userId: bob).key
            let own = try await gateway.connectClient(key: key.text)
            try await own.waitForStatus(200, at: "/v1/users/\(bob)/model")
            var follower = try await ModelFollower(own, "/v1/users/\(bob)/model")
            #expect(follower.document["users"]?.arrayValue?.map { $0["user"]?["userId"] } == [.integer(bob)])
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("to alice"))
            _ = try await client.post("/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages", textMessage("to bob"))
            try await follower.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "to bob" }
            #expect(follower.document["users"]?.arrayValue?.count == 1)
            try await follower.expectServerDocument()
            #expect(try await own.call("GET", "/v1/users/\(alice)/model").status == 403)
            #expect(try await own.call("POST", "/v1/users/\(alice)/sessions").status == 403)
        }
    }

    @Test
    func `A request for the state of an unknown profile, or with an invalid or expired cursor, is refused`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            #expect(try await client.call("GET", "/v1/users/99/model").status == 404)
            #expect(try await client.call("POST", "/v1/users/99/sessions").status == 404)
            let path = "/v1/users/\(alice)/model/changes"
            #expect(try await client.call("GET", path).status == 400)
            #expect(try await client.call("GET", path + "?cursor=x").status == 400)
            #expect(try await client.call("GET", path + "?cursor=other-0").status == 410)
            let first = try #require(try await client.call("GET", "/v1/users/\(alice)/model").json["id"]?.stringValue)
            let epoch = try #require(first.split(separator: "-").first)
            #expect(try await client.call("GET", path + "?cursor=\(epoch)-999999").status == 410)
        }
    }

    @Test
    func `A stream of JSON lines contains a patch for each change of a profile's state`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let id = try #require(try await client.call("GET", "/v1/users/\(alice)/model").json["id"]?.stringValue)
            let stream = try await gateway.connectClient()
            try await stream.send(
                "GET",
                "/v1/users/\(alice)/model/changes?cursor=\(id)",
                headers: [("Accept", "application/x-ndjson")]
            )
            #expect(try await stream.receiveHead().status == 200)
            let profile: JSONValue = ["profile": ["displayName": "alicia", "fullName": ""]]
            _ = try await client.call("PUT", "/v1/users/\(alice)/profile", body: profile.text)
            var text = ""
            while !text.contains("alicia"), let chunk = try await stream.receiveChunk() {
                text += String(decoding: chunk, as: UTF8.self)
            }
            #expect(text.contains("\"type\":\"modelPatch\""))
        }
    }

    @Test
    func `A WebSocket sends patches after a cursor, and an expired cursor or a message of the client closes it`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let id = try #require(try await client.call("GET", "/v1/users/\(alice)/model").json["id"]?.stringValue)
            _ = try await client.call(
                "PUT",
                "/v1/users/\(alice)/profile",
                body: #"{"profile":{"displayName":"alicia","fullName":""}}"#
            )
            let path = "/v1/users/\(alice)/model/changes/ws"
            let socket = try await WebSocketClient.open(gateway.connectClient(), "\(path)?cursor=\(id)")
            let first = try await socket.receiveJSON()
            #expect(first["event"]?["type"] == "modelPatch")
            #expect(first["event"]?["patch"]?.text.contains("alicia") == true)
            // A client that connects again continues after this cursor.
            let cursor = try #require(first["id"]?.stringValue)
            _ = try await client.call(
                "PUT",
                "/v1/users/\(alice)/profile",
                body: #"{"profile":{"displayName":"alina","fullName":""}}"#
            )
            let again = try await WebSocketClient.open(gateway.connectClient(), "\(path)?cursor=\(cursor)")
            var told = ""
            while !told.contains("alina") { told = try await again.receiveJSON().text }
            #expect(!told.contains("alicia\""))
            try await again.send("{}")
            while true {
                let frame = try await again.receiveFrame()
                guard frame.opcode == 8 else { continue }
                #expect(frame.payload.prefix(2) == [0x03, 0xF0])
                break
            }
            #expect(
                try await WebSocketClient.open(gateway.connectClient(), "\(path)?cursor=other-1").receiveCloseCode()
                    == 4410
            )
            #expect(try await WebSocketClient.sendHandshake(gateway.connectClient(), path).status == 400)
            #expect(try await client.call("GET", "\(path)?cursor=\(cursor)").status == 426)
            let session = try #require(try await client.call("POST", "/v1/users/\(alice)/sessions").header("location"))
            let start = try #require(try await client.call("GET", session).json["id"]?.stringValue)
            let own = try await WebSocketClient.open(gateway.connectClient(), "\(session)/changes/ws?cursor=\(start)")
            _ = try await client.call("PUT", session + "/chat", body: #"{"chatType":"local","chatId":1}"#)
            #expect(try await own.receiveJSON()["event"]?["type"] == "modelPatch")
            #expect(
                try await WebSocketClient.open(gateway.connectClient(), "\(session)x/changes/ws?cursor=\(start)")
                    .receiveCloseCode()
                    == 4410
            )
        }
    }

    @Test
    func `Console commands such as '/mute @alice' change the state of a profile like other commands`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            _ = try await client.connectUsers(alice, bob)
            var follower = try await ModelFollower(client, "/v1/users/\(bob)/model")
            let terminal = try await WebSocketClient.open(gateway.connectClient(), "/")
            func say(_ command: String) async throws {
                let request: JSONValue = ["corrId": "1", "cmd": .string(command)]
                try await terminal.send(request.text)
                while try await terminal.receiveJSON()["corrId"] == nil {}
            }
            func chat(_ document: JSONValue) -> JSONValue? {
                document["chats"]?.arrayValue?.first { $0["chatInfo"]?["contact"]?["localDisplayName"] == "alice" }
            }
            // Console commands apply to the active user. This is bob, who was created last.
            try await say("@alice by hand")
            try await follower.advance { chat($0)?["chatItems"]?[0]?["meta"]?["itemText"] == "by hand" }
            try await say("/mute @alice")
            try await follower.advance { chat($0)?["chatInfo"]?["contact"]?["chatSettings"]?["enableNtfs"] == "none" }
            try await say("/clear @alice")
            try await follower.advance { chat($0)?["chatItems"]?[0]?["meta"]?["itemText"] != "by hand" }
            try await follower.expectServerDocument()
        }
    }
}

extension RealGateway {
    func connectClient(key: String) async throws -> HTTPClient { try await .connect(port: port, key: key) }
}
