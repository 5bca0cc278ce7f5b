import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Sessions with a chat that is merged into another chat", .socketTimeLimit)
struct SessionMergeTests {
    private func itemTexts(_ document: JSONValue) -> [String] {
        document["im"]?["reversedChatItems"]?.arrayValue?.compactMap { $0["meta"]?["itemText"]?.stringValue } ?? []
    }

    @Test
    func `After two contacts are merged, a session with one of the two chats shows the messages of both`() async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (first, _) = try await client.connectUsers(alice, bob)
            let (second, _) = try await client.connectUsers(alice, bob)
            for (contact, text) in [(first, "to the first"), (second, "to the second")] {
                _ = try await client.post("/v1/users/\(alice)/chats/direct/\(contact)/messages", textMessage(text))
            }
            func session(_ contact: Int64) async throws -> ModelFollower {
                let session = try #require(
                    try await client.call("POST", "/v1/users/\(alice)/sessions").header("location")
                )
                #expect(
                    try await client.put(session + "/chat", ["chatType": "direct", "chatId": .integer(contact)]).status
                        == 200
                )
                return try await ModelFollower(client, session, "session")
            }
            var (onFirst, onSecond) = (try await session(first), try await session(second))
            var model = try await ModelFollower(client, "/v1/users/\(alice)/model")
            #expect(
                itemTexts(onSecond.document).contains("to the second")
                    && !itemTexts(onSecond.document).contains("to the first")
            )

            try await gateway.core.store.write { tx in
                let user = try #require(try UserRecord.find(alice, in: tx.db))
                let merged = try ContactMerging.mergeContacts(
                    ContactRecord.get(first, user: user, in: tx.db),
                    ContactRecord.get(second, user: user, in: tx.db),
                    user,
                    tx
                )
                #expect(merged?.contactId == first)
            }
            try await onSecond.advance { $0["chatId"] == .string("@\(first)") && $0["im"]?["isLoading"] == false }
            #expect(onSecond.document["chatInfo"]?["contact"]?["contactId"] == .integer(first))
            #expect(
                itemTexts(onSecond.document).contains("to the first")
                    && itemTexts(onSecond.document).contains("to the second")
            )
            #expect(onSecond.document["chatDeleted"] == false)
            _ = try await client.post("/v1/users/\(alice)/chats/direct/\(first)/messages", textMessage("to both"))
            for follower in [onFirst, onSecond] {
                var follower = follower
                try await follower.advance { itemTexts($0).first == "to both" }
                try await follower.expectServerDocument()
            }
            try await onFirst.advance()
            #expect(onFirst.document["chatId"] == .string("@\(first)"))
            try await model.advance { $0["chats"]?[0]?["chatItems"]?[0]?["meta"]?["itemText"] == "to both" }
            let listed = try await client.call("GET", "/v1/users/\(alice)/chats").json["chats"]?.arrayValue?.compactMap
            { $0["chatInfo"]?["contact"]?["contactId"] }
            #expect(
                model.document["chats"]?.arrayValue?.compactMap { $0["chatInfo"]?["contact"]?["contactId"] } == listed
            )
            #expect(listed?.contains(.integer(second)) == false)
            try await model.expectServerDocument()
        }
    }
}
