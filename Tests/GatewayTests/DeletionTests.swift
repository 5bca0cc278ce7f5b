import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Deleted messages", .socketTimeLimit)
struct DeletionTests {
    @Test
    func `The text of a deleted message is absent from events, answers to repeated requests and states of profiles`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            let follower = try await ModelFollower(client, "/v1/users/\(bob)/model")
            let path = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)/messages"
            let sent = try await client.post(path, textMessage("quokka"), headers: [("Idempotency-Key", "k")])
            #expect(sent.status == 201 && sent.text.contains("quokka"))
            var cursor: String?
            let received = try await client.waitForEvent(after: &cursor, "newChatItems", user: bob)["chatItems"]?[0]?[
                "chatItem"
            ]
            var item = received
            while item?["meta"]?["itemText"] != "quokka" {
                item = try await client.waitForEvent(after: &cursor, "newChatItems", user: bob)["chatItems"]?[0]?[
                    "chatItem"
                ]
            }
            var shown = follower
            try await shown.advance { $0.text.contains("quokka") }
            for (user, contact, id) in [
                (alice, bobOfAlice, try sent.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]),
                (bob, aliceOfBob, item?["meta"]?["itemId"]),
            ] {
                let id = try #require(id?.integerValue)
                let deleted = try await client.call(
                    "DELETE",
                    "/v1/users/\(user)/chats/direct/\(contact)/messages?itemIds=\(id)&mode=internal"
                )
                #expect(deleted.status == 200, "\(deleted.text)")
            }
            let page = try await client.call("GET", "/v1/events?limit=1000").text
            #expect(!page.contains("quokka") && page.contains("rcvDeleted"))
            let socket = try await WebSocketClient.open(gateway.connectClient(), "/v1/events/ws")
            let last = try await client.call("GET", "/v1/events?cursor=now").json["cursor"]
            while true {
                let entry = try await socket.receiveJSON()
                #expect(!entry.text.contains("quokka"))
                if entry["id"] == last { break }
            }
            let again = try await client.post(path, textMessage("quokka"), headers: [("Idempotency-Key", "k")])
            #expect(again.status == 201 && again.header("idempotent-replayed") == "true")
            #expect(!again.text.contains("quokka"))
            // A reader that is far behind gets a gap, and reads the state again.
            try await shown.advance { !$0.text.contains("quokka") }
            let changes = try await client.call("GET", "/v1/users/\(bob)/model/changes?cursor=\(follower.cursor)")
            #expect(changes.status == 410 && !changes.text.contains("quokka"))
        }
    }
}
