import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("A hidden user that is not active", .socketTimeLimit)
struct HiddenUserTests {
    /// Makes Alice (1) and Bob (2), who are contacts, and Carol (3), who is active. Hides Alice while a session of her
    /// state exists.
    private func hideAlice(_ gateway: RealGateway) async throws -> (bob: Int64, session: String) {
        let client = try await gateway.connectClient()
        let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
        let contacts = try await client.connectUsers(alice, bob)
        _ = try await client.createUser("carol")
        let session = try await client.call("POST", "/v1/users/1/sessions").json["sessionId"]?.stringValue
        #expect(try await client.call("GET", "/v1/users/1/model").status == 200)
        #expect(try await client.post("/v1/users/1/hide", ["viewPwd": "s3cret"]).status == 200)
        return (contacts.1, try #require(session))
    }

    @Test
    func `Every route answers for a hidden user in the same way as for an unknown user`() async throws {
        try await RealGateway.run { gateway in
            let (_, session) = try await hideAlice(gateway)
            let client = try await gateway.connectClient()
            for route in RouteTable.all where route.parameterNames.contains("userId") {
                for id in route.parameterNames.contains("sessionId") ? [session] : ["1"] {
                    for type in route.parameterNames.contains("chatType") ? ["direct", "local"] : ["direct"] {
                        func answer(_ user: String) async throws -> (Int, String) {
                            let path =
                                route.path(user: user, chatType: type, id: id)
                                + (route.operationID.contains("hanges") ? "?cursor=now" : route.requiredQuery)
                            let answer = try await client.call(
                                route.method.rawValue,
                                path,
                                body: route.sampleBody?.text
                            )
                            var text = answer.text
                            if let request = try? answer.json["requestId"]?.stringValue {
                                text = text.replacing("\"requestId\":\"\(request)\"", with: "")
                            }
                            for name in ["userId", "commandUserId"] {
                                text = text.replacing("\"\(name)\":\(user)", with: "\"\(name)\":0")
                            }
                            return (answer.status, text)
                        }
                        let (hidden, missing) = (try await answer("1"), try await answer("99"))
                        #expect(hidden == missing, "\(route.operationID)")
                        #expect(hidden.0 >= 400, "\(route.operationID): \(hidden)")
                    }
                }
            }
            let users = try await client.call("GET", "/v1/users").text
            #expect(!users.contains("alice"))
        }
    }

    @Test
    func `A hidden user is opened with its password, and a wrong password gets the answer for an unknown user`()
        async throws
    {
        try await RealGateway.run { gateway in
            _ = try await hideAlice(gateway)
            let client = try await gateway.connectClient()
            let path = "/v1/users/active"
            func put(_ password: String, _ client: HTTPClient) async throws -> HTTPClient.Answer {
                try await client.call("PUT", path, body: JSONValue.object(["viewPwd": .string(password)]).text)
            }
            let wrong = try await put("wrong", client),
                missing = try await client.post("/v1/users/99/activate", ["viewPwd": "s3cret"])
            #expect(wrong.status == 404)
            #expect(try wrong.json["chatError"] == missing.json["chatError"])
            #expect(try await client.call("PUT", path, body: "{}").status == 422)
            let keys = KeyFile(folder: gateway.folder)
            for key in [
                try keys.addKey(name: "reads", scopes: [.read, .events]),
                try keys.addKey(name: "carol", scopes: [.read, .write, .events], userId: 3),
            ] {
                let other = try await HTTPClient.connect(port: gateway.port, key: key.key.text)
                try await other.waitForStatus(200, at: "/v1/events?cursor=now")
                for password in ["s3cret", "wrong"] { #expect(try await put(password, other).status == 403) }
            }
            #expect(try await put("s3cret", client).json["user"]?["userId"] == 1)
            #expect(try await client.call("GET", "/v1/users").text.contains("alice"))
        }
    }

    @Test
    func `After many wrong passwords, all passwords of hidden users are refused for a time`() async throws {
        try await RealGateway.run { gateway in
            _ = try await hideAlice(gateway)
            let client = try await gateway.connectClient()
            for _ in 0..<10 {
                #expect(try await client.call("PUT", "/v1/users/active", body: #"{"viewPwd":"wrong"}"#).status == 404)
            }
            for (method, path) in [("PUT", "/v1/users/active"), ("POST", "/v1/users/1/activate")] {
                let refused = try await client.call(method, path, body: #"{"viewPwd":"s3cret"}"#)
                #expect(refused.status == 429)
                #expect(refused.header("retry-after").flatMap(Int.init) ?? 0 > 0)
            }
        }
    }

    @Test
    func `Only keys for a hidden user get the events of this user`() async throws {
        try await RealGateway.run { gateway in
            let before = try await gateway.connectClient()
            let ofCarol = try await before.createUser("carol")
            _ = try await before.call("GET", "/v1/users/\(ofCarol)/model")
            let (alice, bob) = (
                try await gateway.connectClient().createUser("alice"),
                try await gateway.connectClient().createUser("bob")
            )
            let (bobOfAlice, aliceOfBob) = try await gateway.connectClient().connectUsers(alice, bob)
            #expect(
                try await gateway.connectClient().call("GET", "/v1/users/\(bob)/model").text.contains(
                    "\"localDisplayName\":\"alice\""
                )
            )
            let own = try KeyFile(folder: gateway.folder).addKey(
                name: "alice",
                scopes: [.read, .events],
                userId: alice
            )
            .key.text
            let ownClient = try await HTTPClient.connect(port: gateway.port, key: own)
            try await ownClient.waitForStatus(200, at: "/v1/events?cursor=now")
            #expect(
                try await gateway.connectClient().post("/v1/users/\(alice)/hide", ["viewPwd": "s3cret"]).status == 200
            )
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/events/ws?cursor=now")
            let terminal = try await WebSocketClient.open(gateway.connectClient(), "/")
            func readEvents(_ client: HTTPClient, _ cursor: String = "") async throws -> [JSONValue] {
                try await client.call("GET", "/v1/events?limit=1000\(cursor)").json["events"]?.arrayValue ?? []
            }
            #expect(try await !readEvents(gateway.connectClient()).contains { $0["userId"] == .integer(alice) })
            #expect(try await readEvents(ownClient).contains { $0["userId"] == .integer(alice) })
            // Bob writes to Alice, whose event must not be shown, and then causes an event for himself, which shows
            // that all earlier events were read.
            #expect(
                try await gateway.connectClient().post(
                    "/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages",
                    textMessage("a secret")
                ).status == 201
            )
            var cursor: String?
            while try await ownClient.waitForEvent(after: &cursor, "newChatItems", user: alice)["chatItems"]?[0]?[
                "chatItem"
            ]?[
                "content"
            ]?["msgContent"]?["text"] != "a secret" {}
            let carol = try await gateway.connectClient().createUser("dave")
            let (_, _) = try await gateway.connectClient().connectUsers(carol, bob)
            while true {
                let entry = try await socket.receiveJSON()
                #expect(entry["userId"] != .integer(alice))
                if entry["event"]?["type"] == "contactConnected", entry["userId"] == .integer(bob) { break }
            }
            while true {
                let event = try await terminal.receiveJSON()["resp"]
                #expect(event?["user"]?["userId"] != .integer(alice))
                if event?["type"] == "contactConnected", event?["user"]?["userId"] == .integer(bob) { break }
            }
            #expect(try await !readEvents(gateway.connectClient()).contains { $0["userId"] == .integer(alice) })
            let state = try await gateway.connectClient().call("GET", "/v1/users/\(bob)/model").json["model"]
            #expect(state?["users"]?.arrayValue?.contains { $0["user"]?["userId"] == .integer(alice) } == false)
            #expect(
                try await gateway.connectClient().post("/v1/users/\(alice)/activate", ["viewPwd": "s3cret"]).status
                    == 200
            )
            let all = try await readEvents(gateway.connectClient())
            #expect(
                all.contains { $0["userId"] == .integer(alice) && ($0["event"]?.text.contains("a secret") ?? false) }
            )
            let chat = try await gateway.connectClient().call("GET", "/v1/users/\(alice)/chats/direct/\(bobOfAlice)")
                .text
            #expect(chat.contains("a secret"))
        }
    }

    @Test
    func `After a restart, only keys of a hidden user read the events of this user`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let own = try await RealGateway.run(in: folder) { gateway in
            _ = try await hideAlice(gateway)
            return try KeyFile(folder: gateway.folder).addKey(name: "alice", scopes: [.read, .events], userId: 1).key
                .text
        }
        try await RealGateway.run(in: folder) { gateway in
            let client = try await HTTPClient.connect(port: gateway.port, key: own)
            #expect(
                try await client.call("GET", "/v1/events?limit=1000").json["events"]?.arrayValue?.contains {
                    $0["userId"] == 1
                } == true
            )
            #expect(
                try await gateway.connectClient().call("GET", "/v1/events?limit=1000").json["events"]?.arrayValue?
                    .contains {
                        $0["userId"] == 1
                    } == false
            )
        }
    }
}
