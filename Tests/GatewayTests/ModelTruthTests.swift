import Gateway
import JSON
import TestSupport
import Testing

@Suite("States and the store", .overSockets)
struct ModelTruthTests {
    @Test("after anything that two people do, the followed state is what the store has")
    func sameAsStore() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let (alice, bob) = (try await client.user("alice"), try await client.user("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connect(alice, bob)
            let ours = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)"
            let theirs = "/v1/users/\(bob)/chats/direct/\(aliceOfBob)"
            let session = try #require(try await client.call("POST", "/v1/users/\(alice)/sessions").header("location"))
            let chat: JSONValue = ["chatType": "direct", "chatId": .integer(bobOfAlice), "count": 400]
            _ = try await client.call("PUT", session + "/chat", body: chat.text)
            var list = try await ModelFollower(client, "/v1/users/\(alice)/model")
            var open = try await ModelFollower(client, session, "session")
            var random = SeededRandom(seed: 7)
            for step in 0..<150 {
                try await act(step, client, ours: ours, theirs: theirs, &random)
                if step % 10 == 0 { try await list.advance(); try await open.advance() }
            }
            var (told, stored) = (JSONValue.null, JSONValue.null)
            for _ in 0..<40 {
                try await list.advance(wait: 1)
                try await open.advance()
                let chats = try await client.call("GET", "/v1/users/\(alice)/chats").json["chats"]?.arrayValue ?? []
                let page = try await client.call("GET", "\(ours)?count=400").json["chat"]?["chatItems"]?.arrayValue ?? []
                stored = .array(chats.map(essence) + page.reversed().map(item))
                let toldChats = list.document["chats"]?.arrayValue ?? []
                told = .array(toldChats.map(essence) + (open.document["im"]?["reversedChatItems"]?.arrayValue ?? []).map(item))
                if told == stored { break }
            }
            #expect(told == stored)
            let (toldItems, storedItems) = (told.arrayValue ?? [], stored.arrayValue ?? [])
            for (told, stored) in zip(toldItems, storedItems) where told != stored { Issue.record("\(told.text)\n\(stored.text)") }
            #expect(storedItems.count > 60)
            try await list.agrees()
            try await open.agrees()
        }
    }

    private func act(_ step: Int, _ client: HTTPClient, ours: String, theirs: String, _ random: inout SeededRandom) async throws {
        let (mine, other) = Bool.random(using: &random) ? (ours, theirs) : (theirs, ours)
        let items = try await client.call("GET", "\(mine)?count=30").json["chat"]?["chatItems"]?.arrayValue ?? []
        let ids = items.compactMap { $0["meta"]?["itemId"]?.integerValue }
        let sent = items.filter { $0["content"]?["type"] == "sndMsgContent" && $0["meta"]?["itemDeleted"] == nil }
            .compactMap { $0["meta"]?["itemId"]?.integerValue }
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            guard let id = sent.randomElement(using: &random) else { return }
            let update: JSONValue = ["updatedMessage": ["msgContent": ["type": "text", "text": .string("edited \(step)")], "mentions": [:]]]
            _ = try await client.call("PATCH", "\(mine)/items/\(id)", body: update.text)
        case 1:
            guard let id = ids.randomElement(using: &random) else { return }
            _ = try await client.call("DELETE", "\(mine)/items?itemIds=\(id)&mode=internal")
        case 2:
            guard let id = sent.randomElement(using: &random) else { return }
            _ = try await client.call("DELETE", "\(mine)/items?itemIds=\(id)&mode=broadcast")
        case 3: _ = try await client.call("POST", "\(mine)/read")
        case 4: _ = try await client.post("\(mine)/items/read", ["itemIds": .array(ids.suffix(3).map { .integer($0) })])
        case 5: _ = try await client.call("PUT", "\(mine)/unread", body: #"{"unreadChat":\#(step % 2 == 0)}"#)
        default: _ = try await client.post("\(other)/messages", textMessage("message \(step)"))
        }
    }

    /// A chat of the list: who, the last item, the counts.
    private func essence(_ chat: JSONValue) -> JSONValue {
        [
            "name": chat["chatInfo"]?["contact"]?["localDisplayName"] ?? .null, "chatStats": (chat["chatStats"] ?? .null).sorted,
            "chatItems": .array((chat["chatItems"]?.arrayValue ?? []).map(item)),
        ]
    }

    /// An item without the time of its last change: that it was read is told, and when is not.
    private func item(_ item: JSONValue) -> JSONValue {
        guard var members = item.objectValue, var meta = item["meta"]?.objectValue else { return item }
        meta["updatedAt"] = nil
        members["meta"] = .object(meta)
        return JSONValue.object(members).sorted
    }
}
