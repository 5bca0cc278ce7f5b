import Gateway
import JSON
import TestSupport
import Testing

@Suite("Information about the core in the state of a profile", .socketTimeLimit)
struct ModelFactsTests {
    @Test
    func `The states of all profiles show the network information and whether the core runs or is suspended`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            var follower = try await ModelFollower(client, "/v1/users/\(alice)/model")
            #expect(follower.document["networkInfo"] == ["networkType": "other", "online": true])
            #expect(follower.document["lifecycle"]?["chatDbEncrypted"] == true)
            #expect(follower.document["lifecycle"]?["appState"] == "active")
            let info: JSONValue = ["networkType": "wifi", "online": true]
            #expect(try await client.put("/v1/settings/network-info", info).status == 200)
            try await follower.advance { $0["networkInfo"] == info }
            #expect(try await client.call("GET", "/v1/users/\(bob)/model").json["model"]?["networkInfo"] == info)
            #expect(try await client.post("/v1/core/suspend", ["timeoutMicroseconds": 0]).status == 200)
            _ = try await client.put("/v1/users/\(alice)/model/drafts/local/1", ["message": "told after it"])
            try await follower.advance { $0["drafts"]?["*1"]?["message"] == "told after it" }
            try await follower.advance { $0["lifecycle"]?["appState"] == "suspended" }
            #expect(follower.document["lifecycle"]?["chatRunning"] == true)
            let model = try await client.call("GET", "/v1/users/\(bob)/model").json["model"]
            #expect(model?["lifecycle"]?["appState"] == "suspended")
            #expect(try await client.post("/v1/core/activate", ["restoreChat": true]).status == 200)
            try await follower.advance { $0["lifecycle"]?["appState"] == "active" }
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            try await follower.advance { $0["lifecycle"]?["chatRunning"] == false }
            #expect(follower.document["lifecycle"]?["appState"] == "stopped")
            #expect(try await client.post("/v1/core/start", [:]).status == 200)
            try await follower.advance { $0["lifecycle"]?["chatRunning"] == true }
            try await follower.expectServerDocument()
        }
    }

    @Test
    func `Messages of a muted chat do not count as unread in the state of any profile`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            var (own, other) = (
                try await ModelFollower(client, "/v1/users/\(alice)/model"),
                try await ModelFollower(client, "/v1/users/\(bob)/model")
            )
            func unread(_ document: JSONValue) -> JSONValue? {
                document["users"]?.arrayValue?.first { $0["user"]?["userId"] == .integer(alice) }?["unreadCount"]
            }
            func agree(_ count: Int64) async throws {
                try await own.advance { unread($0) == .integer(count) }
                try await other.advance { unread($0) == .integer(count) }
                #expect(unread(try await client.call("GET", "/v1/users").json) == .integer(count))
            }
            let chat = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)"
            // The first message comes after all events of the connection. So the counts are compared only after it has
            // arrived.
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("first"))
            try await own.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "first" }
            #expect(try await client.call("POST", chat + "/read").status == 200)
            try await agree(0)
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("one"))
            try await agree(1)
            #expect(try await client.patch(chat, ["settings": ["enableNtfs": "none"]]).status == 200)
            try await agree(0)
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(aliceOfBob)/messages", textMessage("two"))
            try await own.advance { $0["chats"]?[0]?["chatStats"]?["unreadCount"] == 2 }
            try await agree(0)
            #expect(try await client.patch(chat, ["settings": ["enableNtfs": "all"]]).status == 200)
            try await agree(2)
            _ = try await client.call("POST", chat + "/read")
            try await agree(0)
            try await own.expectServerDocument()
            try await other.expectServerDocument()
        }
    }
}
