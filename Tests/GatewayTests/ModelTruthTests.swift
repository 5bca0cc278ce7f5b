import Gateway
import JSON
import TestSupport
import Testing

@Suite("States compared with the store", .socketTimeLimit)
struct ModelTruthTests {
    @Test
    func `After random actions of two contacts, a client that applies the patches has the state of the store`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (bobOfAlice, aliceOfBob) = try await client.connectUsers(alice, bob)
            let ours = "/v1/users/\(alice)/chats/direct/\(bobOfAlice)"
            let theirs = "/v1/users/\(bob)/chats/direct/\(aliceOfBob)"
            let session = try #require(try await client.call("POST", "/v1/users/\(alice)/sessions").header("location"))
            let chat: JSONValue = ["chatType": "direct", "chatId": .integer(bobOfAlice), "limit": 400]
            _ = try await client.call("PUT", session + "/chat", body: chat.text)
            var list = try await ModelFollower(client, "/v1/users/\(alice)/model")
            var open = try await ModelFollower(client, session, "session")
            var random = SeededRandom(seed: 7)
            for step in 0..<150 {
                try await actInChat(step, client, ours: ours, theirs: theirs, &random)
                if step % 10 == 0 { try await list.advance(); try await open.advance() }
            }
            var (told, stored) = (JSONValue.null, JSONValue.null)
            for _ in 0..<40 {
                try await list.advance(wait: 1)
                try await open.advance()
                let chats = try await client.call("GET", "/v1/users/\(alice)/chats").json["chats"]?.arrayValue ?? []
                let page =
                    try await client.call("GET", "\(ours)?limit=400").json["chat"]?["chatItems"]?.arrayValue ?? []
                stored = .array(chats.map(reduceChat) + page.reversed().map(reduceItem))
                let toldChats = list.document["chats"]?.arrayValue ?? []
                told = .array(
                    toldChats.map(reduceChat)
                        + (open.document["im"]?["reversedChatItems"]?.arrayValue ?? []).map(reduceItem)
                )
                if told == stored { break }
            }
            #expect(told == stored)
            let (toldItems, storedItems) = (told.arrayValue ?? [], stored.arrayValue ?? [])
            for (told, stored) in zip(toldItems, storedItems) where told != stored {
                Issue.record("\(told.text)\n\(stored.text)")
            }
            #expect(storedItems.count > 60)
            try await list.expectServerDocument()
            try await open.expectServerDocument()
        }
    }

    @Test
    func `After random actions in a group, a client that applies the patches has the state of the store`() async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let pair = try await GroupOfTwo(client)
            let carol = try await client.createUser("carol")
            let (carolOfAlice, _) = try await client.connectUsers(pair.aliceID, carol)
            let session = try #require(
                try await client.call("POST", "/v1/users/\(pair.aliceID)/sessions").header("location")
            )
            let groupId = try #require(pair.ourPath.split(separator: "/").last.flatMap { Int64($0) })
            _ = try await client.put(
                session + "/chat",
                ["chatType": "group", "chatId": .integer(groupId), "limit": 400]
            )
            var list = try await ModelFollower(client, "/v1/users/\(pair.aliceID)/model")
            var open = try await ModelFollower(client, session, "session")
            // From now on the session contains the members.
            #expect(
                try await client.post(session + "/members", [:]).json["session"]?["groupMembers"]?.arrayValue?.count
                    == 1
            )
            var random = SeededRandom(seed: 11)
            var roles = 0
            for step in 0..<80 {
                try await actInChat(step, client, ours: pair.ourChatPath, theirs: pair.theirChatPath, &random)
                if step % 5 == 0 {
                    try await actAsOwner(roles, pair, carol: carolOfAlice)
                    roles += 1
                }
                if step % 10 == 0 { try await list.advance(); try await open.advance() }
            }
            var (told, stored) = (JSONValue.null, JSONValue.null)
            for _ in 0..<40 {
                try await list.advance(wait: 1)
                try await open.advance()
                let chats =
                    try await client.call("GET", "/v1/users/\(pair.aliceID)/chats").json["chats"]?.arrayValue ?? []
                let page =
                    try await client.call("GET", "\(pair.ourChatPath)?limit=400").json["chat"]?["chatItems"]?.arrayValue
                    ?? []
                let members =
                    try await client.call("GET", pair.ourPath + "/members").json["group"]?["members"]?.arrayValue ?? []
                stored = .array(chats.map(reduceChat) + members.map(reduceMember) + page.reversed().map(reduceItem))
                let toldMembers = open.document["groupMembers"]?.arrayValue ?? []
                told = .array(
                    (list.document["chats"]?.arrayValue ?? []).map(reduceChat) + toldMembers.map(reduceMember)
                        + (open.document["im"]?["reversedChatItems"]?.arrayValue ?? []).map(reduceItem)
                )
                if told == stored { break }
            }
            let (toldItems, storedItems) = (told.arrayValue ?? [], stored.arrayValue ?? [])
            #expect(toldItems.count == storedItems.count && storedItems.count > 40)
            for (told, stored) in zip(toldItems, storedItems) where told != stored {
                Issue.record("\(told.text)\n\(stored.text)")
            }
            try await list.expectServerDocument()
            try await open.expectServerDocument()
        }
    }

    /// Executes one of an owner's actions on a group, selected by number.
    private func actAsOwner(_ number: Int, _ pair: GroupOfTwo, carol: Int64) async throws {
        let (client, bob) = (pair.client, JSONValue.integer(pair.bobMemberID))
        let answer: HTTPClient.Answer
        switch number {
        case 0:
            answer = try await client.post(
                pair.ourPath + "/members",
                ["contactId": .integer(carol), "memberRole": "observer"]
            )
        case 1:
            answer = try await client.put(
                pair.ourPath + "/members/role",
                ["memberIds": [bob], "memberRole": "moderator"]
            )
        case 2: answer = try await client.put(pair.ourPath + "/members/blocked", ["memberIds": [bob], "blocked": true])
        case 3:
            answer = try await client.put(pair.ourPath + "/members/blocked", ["memberIds": [bob], "blocked": false])
        case 4:
            answer = try await client.patch(
                pair.ourPath + "/members/\(pair.bobMemberID)",
                ["settings": ["showMessages": false], "role": "member"]
            )
        case 5: answer = try await client.patch(pair.ourPath, ["alias": "my team"])
        case 6:
            answer = try await client.patch(pair.ourPath, ["profile": ["displayName": "club"], "customData": ["a": 1]])
        case 7:
            answer = try await client.put(
                "/v1/users/\(pair.bobID)/profile",
                ["profile": ["displayName": "bobby", "fullName": ""]]
            )
        case 8: answer = try await client.post(pair.theirChatPath + "/messages", textMessage("I am bobby"))
        case 9:
            answer = try await client.patch(
                pair.ourChatPath,
                ["settings": ["enableNtfs": "mentions", "favorite": true], "unread": true, "ttlSeconds": 86400]
            )
        case 15: answer = try await client.call("DELETE", pair.ourPath + "/members?memberIds=\(pair.bobMemberID)")
        default: return
        }
        #expect(answer.status < 300, "\(number): \(answer.text)")
    }

    private func actInChat(
        _ step: Int,
        _ client: HTTPClient,
        ours: String,
        theirs: String,
        _ random: inout SeededRandom
    ) async throws {
        let (mine, other) = Bool.random(using: &random) ? (ours, theirs) : (theirs, ours)
        let items = try await client.call("GET", "\(mine)?limit=30").json["chat"]?["chatItems"]?.arrayValue ?? []
        let ids = items.compactMap { $0["meta"]?["itemId"]?.integerValue }
        let sent = items.filter { $0["content"]?["type"] == "sndMsgContent" && $0["meta"]?["itemDeleted"] == nil }
            .compactMap { $0["meta"]?["itemId"]?.integerValue }
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            guard let id = sent.randomElement(using: &random) else { return }
            let update: JSONValue = [
                "updatedMessage": ["msgContent": ["type": "text", "text": .string("edited \(step)")], "mentions": [:]]
            ]
            _ = try await client.call("PATCH", "\(mine)/messages/\(id)", body: update.text)
        case 1:
            guard let id = ids.randomElement(using: &random) else { return }
            _ = try await client.call("DELETE", "\(mine)/messages?itemIds=\(id)&mode=internal")
        case 2:
            guard let id = sent.randomElement(using: &random) else { return }
            _ = try await client.call("DELETE", "\(mine)/messages?itemIds=\(id)&mode=broadcast")
        case 3: _ = try await client.call("POST", "\(mine)/read")
        case 4:
            _ = try await client.post("\(mine)/messages/read", ["itemIds": .array(ids.suffix(3).map { .integer($0) })])
        case 5: _ = try await client.patch(mine, ["unread": .bool(step % 2 == 0)])
        default: _ = try await client.post("\(other)/messages", textMessage("message \(step)"))
        }
    }

    /// Reduces a chat of the list to its name, its last item and its counts.
    private func reduceChat(_ chat: JSONValue) -> JSONValue {
        [
            "name": chat["chatInfo"]?["contact"]?["localDisplayName"] ?? .null,
            "group": (chat["chatInfo"]?["groupInfo"] ?? .null).withSortedMembers,
            "chatStats": (chat["chatStats"] ?? .null).withSortedMembers,
            "chatItems": .array((chat["chatItems"]?.arrayValue ?? []).map(reduceItem)),
        ]
    }

    /// Removes facts from a member that are not published: the progress of the connection, and the time of the last
    /// change.
    private func reduceMember(_ member: JSONValue) -> JSONValue {
        guard var members = member.objectValue else { return member }
        for name in ["activeConn", "updatedAt", "memberChatVRange"] { members[name] = nil }
        return JSONValue.object(members).withSortedMembers
    }

    /// Removes the time of the last change from an item, since the reading of an item is published without it. Reduces
    /// the author to the number, since the list of members has the present state.
    private func reduceItem(_ item: JSONValue) -> JSONValue {
        guard var members = item.objectValue, var meta = item["meta"]?.objectValue else { return item }
        meta["updatedAt"] = nil
        if let author = item["chatDir"]?["groupMember"]?["groupMemberId"] {
            members["chatDir"] = ["type": "groupRcv", "groupMemberId": author]
        }
        members["meta"] = .object(meta)
        return JSONValue.object(members).withSortedMembers
    }
}
