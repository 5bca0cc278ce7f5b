import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Sessions of clients", .socketTimeLimit)
struct SessionTests {
    private func openSession(_ client: HTTPClient, _ user: Int64) async throws -> String {
        let answer = try await client.call("POST", "/v1/users/\(user)/sessions")
        #expect(answer.status == 201)
        return try #require(answer.header("location"))
    }

    private func putBody(_ client: HTTPClient, _ target: String, _ body: JSONValue) async throws -> HTTPClient.Answer {
        try await client.call("PUT", target, body: body.text)
    }

    @Test
    func `A session with an open chat contains the chat's last items, older pages and new messages`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            let chat = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)"
            for index in 1...12 { _ = try await client.post("\(chat)/messages", textMessage("message \(index)")) }
            let session = try await openSession(client, alice)
            let opened = try await putBody(
                client,
                session + "/chat",
                ["chatType": "direct", "chatId": .integer(bobOfAlice), "limit": 5]
            )
            #expect(opened.status == 200)
            let items = try #require(try opened.json["session"]?["im"]?["reversedChatItems"]?.arrayValue)
            #expect(items.map { $0["meta"]?["itemText"] } == (8...12).reversed().map { .string("message \($0)") })
            #expect(try opened.json["session"]?["im"]?["isLoading"] == false)
            let oldest = try #require(items.last?["meta"]?["itemId"]?.integerValue)
            var follower = try await ModelFollower(client, session, "session")
            let page = try await client.post("\(session)/messages", ["before": .integer(oldest), "limit": 4]).json
            #expect(page["session"]?["im"]?["reversedChatItems"]?.arrayValue?.count == 9)
            try await follower.advance { $0["im"]?["reversedChatItems"]?.arrayValue?.count == 9 }
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("answer"))
            try await follower.advance { $0["im"]?["reversedChatItems"]?[0]?["meta"]?["itemText"] == "answer" }
            _ = try await client.post("\(chat)/messages", textMessage("last"))
            try await follower.advance { $0["im"]?["reversedChatItems"]?[0]?["meta"]?["itemText"] == "last" }
            _ = try await client.call("POST", "\(chat)/read")
            try await follower.advance { document in
                document["im"]?["reversedChatItems"]?.arrayValue?.allSatisfy {
                    $0["meta"]?["itemStatus"]?["type"] != "rcvNew"
                } == true
            }
            try await follower.expectServerDocument()
            let around = try await putBody(
                client,
                session + "/chat",
                ["chatType": "direct", "chatId": .integer(bobOfAlice), "around": .integer(oldest), "limit": 2]
            )
            let state = try #require(try around.json["session"]?["im"])
            #expect(state["newestLoaded"] == false)
            #expect(state["reversedChatItems"]?.arrayValue?.count == 5)
            #expect(state["chatState"]?["splits"]?.arrayValue?.count == 1)
            #expect(try around.json["session"]?["openAroundItemId"] == .integer(oldest))
            try await follower.expectServerDocument()
            #expect(try await client.call("DELETE", session + "/chat").json["session"]?["chatId"] == nil)
            try await follower.expectServerDocument()
        }
    }

    @Test
    func `The id in a session document is the cursor of the last patch that the document contains`() throws {
        func document(_ session: ClientSession) throws -> JSONValue {
            guard case .bytes(let body) = try SessionsResource.makeAnswer(session).content else { return .null }
            return try JSONValue(parsing: body)
        }
        var session = ClientSession(userId: 1, heartbeatSeconds: 10)
        let read = session
        session.changeModel { $0.activeFilter = .unread }
        session.publishChanges(cursor: "1")
        let (before, after) = (try document(read), try document(session))
        #expect(before["session"]?["activeFilter"] != after["session"]?["activeFilter"])
        #expect(before["id"] != after["id"])
        #expect(after["id"] == .string(session.feed.log.cursor))
    }

    @Test
    func `A session shows that a chat is loading before the session contains the items`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            let session = try await openSession(client, alice)
            let id = try #require(try await client.call("GET", session).json["id"]?.stringValue)
            _ = try await putBody(client, session + "/chat", ["chatType": "direct", "chatId": .integer(bobOfAlice)])
            let changes =
                try await client.call("GET", "\(session)/changes?cursor=\(id)").json["events"]?.arrayValue ?? []
            #expect(changes.count >= 2)
            #expect(
                changes.first?["event"]?["patch"]?.text.contains("\"path\":\"/im/isLoading\",\"value\":true") == true
            )
        }
    }

    @Test
    func `A filter that is set in one session does not change other sessions`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let (one, other) = (try await openSession(client, alice), try await openSession(client, alice))
            let set = try await putBody(client, one + "/filter", ["type": "presetTag", "presetTag": "groups"])
            #expect(try set.json["session"]?["activeFilter"]?["presetTag"] == "groups")
            #expect(try await client.call("GET", other).json["session"]?["activeFilter"] == nil)
            #expect(
                try await putBody(client, one + "/filter", ["type": "presetTag", "presetTag": "none"]).status == 422
            )
            #expect(try await putBody(client, one + "/filter", ["type": "colour"]).status == 422)
            #expect(try await client.call("DELETE", one + "/filter").json["session"]?["activeFilter"] == nil)
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/sessions").json["sessions"]?.arrayValue?.count == 2
            )
            #expect(try await client.call("DELETE", one).status == 204)
            #expect(try await client.call("DELETE", one).status == 404)
            #expect(
                try await client.call("GET", "/v1/users/\(alice)/sessions").json["sessions"]?.arrayValue?.count == 1
            )
        }
    }

    @Test
    func `Requests with an unknown session, an unknown chat or invalid values are refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let session = try await openSession(client, alice)
            let foreign = session.replacing("/users/\(alice)/", with: "/users/\(bob)/")
            for path in ["/v1/users/\(alice)/sessions/unknown", foreign] {
                #expect(try await client.call("GET", path).status == 404)
                #expect(try await client.call("DELETE", path).status == 404)
                #expect(try await client.post(path + "/messages", [:]).status == 404)
                #expect(try await client.call("GET", path + "/changes?cursor=a-1").status == 404)
                #expect(try await putBody(client, path + "/chat", ["chatType": "direct", "chatId": 1]).status == 404)
                #expect(try await putBody(client, path + "/filter", ["type": "unread"]).status == 404)
            }
            #expect(try await client.post(session + "/messages", [:]).status == 409)
            #expect(try await putBody(client, session + "/secondary", ["contentTag": "image"]).status == 409)
            #expect(try await putBody(client, session + "/secondary", [:]).status == 422)
            #expect(try await putBody(client, session + "/chat", ["chatType": "direct", "chatId": 77]).status == 404)
            #expect(
                try await putBody(client, session + "/chat", ["chatType": "contactRequest", "chatId": 1]).status == 422
            )
            #expect(
                try await putBody(client, session + "/chat", ["chatType": "direct", "chatId": 1, "limit": 100_000])
                    .status
                    == 422
            )
            #expect(
                try await putBody(client, session + "/chat", ["chatType": "direct", "chatId": 1, "maxMessages": 49])
                    .status
                    == 422
            )
            for body: JSONValue in [["before": 1, "after": 2], ["around": 0], ["limit": 1], ["list": "third"]] {
                #expect(try await client.post(session + "/messages", body).status == 422, "\(body.text)")
            }
            // These routes do not accept GET, because browsers and proxies may repeat a GET.
            for list in ["/messages", "/members"] {
                #expect(try await client.call("GET", session + list).status == 405)
            }
        }
    }

    @Test
    func `An idle session ends, and a request for a session above the limit of sessions gets 429`() async throws {
        try await RealGateway.run(serving: {
            $0.sessionLifetimeSeconds = 0; $0.maxSessionsPerProfile = 2
        }) { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let answer = try await client.call("POST", "/v1/users/\(alice)/sessions")
            #expect(answer.status == 404 || answer.status == 201)
            #expect(try await client.call("GET", "/v1/users/\(alice)/sessions").json["sessions"] == [])
        }
        try await RealGateway.run(serving: { $0.maxSessionsPerProfile = 2 }) { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let first = try await openSession(client, alice)
            _ = try await openSession(client, alice)
            let refused = try await client.call("POST", "/v1/users/\(alice)/sessions")
            #expect(refused.status == 429 && refused.header("retry-after") != nil)
            _ = try await client.call("DELETE", first)
            _ = try await openSession(client, alice)
        }
    }

    @Test
    func `A request to open a chat in a session gets 429 while the profile's sessions contain too many items`()
        async throws
    {
        try await RealGateway.run(serving: { $0.maxSessionItemsAndMembers = 30 }) { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            for index in 0..<20 {
                _ = try await client.post("/v1/users/\(alice)/chats/local/1/messages", textMessage("note \(index)"))
            }
            let notes: JSONValue = ["chatType": "local", "chatId": 1]
            let sessions = [
                try await openSession(client, alice), try await openSession(client, alice),
                try await openSession(client, alice),
            ]
            for session in sessions.prefix(2) {
                #expect(try await putBody(client, session + "/chat", notes).status == 200)
            }
            let refused = try await putBody(client, sessions[2] + "/chat", notes)
            #expect(refused.status == 429 && refused.header("retry-after") != nil, "\(refused.text)")
            #expect(try await client.post(sessions[1] + "/messages", [:]).status == 429)
            #expect(try await client.call("DELETE", sessions[0] + "/chat").status == 200)
            #expect(try await putBody(client, sessions[2] + "/chat", notes).status == 200)
        }
    }

    @Test
    func `A session closes a deleted chat, even if the chat is opened at the same time`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for round in 0..<3 {
                let (alice, bob) = (
                    try await client.createUser("alice\(round)"), try await client.createUser("bob\(round)")
                )
                let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
                let session = try await openSession(client, alice)
                let chat: JSONValue = ["chatType": "direct", "chatId": .integer(bobOfAlice)]
                if round == 0 { #expect(try await putBody(client, session + "/chat", chat).status == 200) }
                let second = try await gateway.connectClient()
                async let opening = second.call("PUT", session + "/chat", body: chat.text)
                let deleted = try await client.call(
                    "DELETE",
                    "/v1/users/\(alice)/chats/direct/\(bobOfAlice)?notify=false"
                )
                #expect(deleted.status == 200)
                #expect([200, 404].contains(try await opening.status))
                let after = try await client.call("GET", session).json
                #expect(after["session"]?["chatId"] == nil)
                #expect(after["session"]?["im"]?["reversedChatItems"] == [])
            }
        }
    }

    @Test
    func `A client with an expired cursor of a profile's state gets 410, and can then read the whole state`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, _) = try await client.connectUsers(alice, bob)
            var late = try await ModelFollower(client, "/v1/users/\(alice)/model")
            for index in 0..<1100 {
                let path = "/v1/users/\(alice)/model/drafts/direct/\(bobOfAlice)"
                _ = try await client.call("PUT", path, body: #"{"message":"\#(index)"}"#)
            }
            let answer = try await client.call("GET", "/v1/users/\(alice)/model/changes?cursor=\(late.cursor)")
            #expect(answer.status == 410)
            #expect(try answer.json["code"] == "cursorExpired")
            late = try await ModelFollower(client, "/v1/users/\(alice)/model")
            try await late.expectServerDocument()
        }
    }
}
