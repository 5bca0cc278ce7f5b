import ChatAPI
import ChatProtocol
import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct ForwardingTests {
    private func close(_ cores: Core...) async {
        for core in cores { await core.controller.close() }
    }

    @Test
    func `A forwarded message shows its origin only to the user who forwarded it`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_send @1 text wise words")
        try await waitForText("wise words", alice)
        let original = try #require(try await alice.run("/_get chat @1 count=1").itemIds.last)
        let notes = try await alice.run("/_forward *1 @1 \(original) ttl=default")
        let note = try #require(notes.firstItemId)
        let forwardedFrom: JSONValue = [
            "type": "contact", "chatName": "bob", "msgDir": "rcv", "contactId": 1, "chatItemId": .integer(original),
        ]
        #expect(notes["chatItems"]?[0]?["chatInfo"]?["type"] == "local")
        #expect(notes["chatItems"]?[0]?["chatItem"]?["meta"]?["itemForwarded"] == forwardedFrom)
        let info = try await alice.run("/_get item info *1 \(note)")
        #expect(
            info["chatItemInfo"]?["forwardedFromChatItem"]?["chatItem"]?["meta"]?["itemId"]?.integerValue == original
        )

        // The forwarded copy of the note has the same origin.
        let sent = try await alice.run("/_forward @1 *1 \(note)")
        #expect(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemForwarded"] == forwardedFrom)
        #expect(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["editable"] == false)
        try await bob.wait(for: "newChatItems", count: 4)
        let received = try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]
        #expect(received?["meta"]?["itemForwarded"] == ["type": "unknown"])
        #expect(received?["meta"]?["itemText"] == "wise words")
        let forwarded = try #require(sent.firstItemId)
        #expect(
            try await alice.run(
                #"/_update item @1 \#(forwarded) live=off json {"msgContent":{"type":"text","text":"mine"}}"#
            ).errorType
                == "invalidChatItemUpdate"
        )

        try await alice.run("/_delete item @1 \(original) internal")
        let later = try await alice.run("/_get item info *1 \(note)")
        #expect(later["chatItemInfo"]?["forwardedFromChatItem"] == nil)
        #expect(
            later["chatItem"]?["chatItem"]?["meta"]?["itemForwarded"]
                == ["type": "contact", "chatName": "bob", "msgDir": "rcv", "contactId": 1]
        )
        await close(alice, bob)
    }

    @Test
    func `A key limited to one chat cannot see the origin of an item that was forwarded from another chat`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_send @1 text wise words")
        try await waitForText("wise words", alice)
        let original = try #require(try await alice.run("/_get chat @1 count=1").itemIds.last)
        let forward = try ChatCommand(parsing: "/_forward *1 @1 \(original) ttl=default")
        guard case .result(.newChatItems(let user, let items)) = await alice.controller.send(forward, with: .all),
            let item = items.first
        else { throw ChatFailure.commandError("not forwarded") }
        let stats = ChatStats(unreadCount: 0, unreadMentions: 0, reportsCount: 0, minUnreadItemId: 0, unreadChat: false)
        let chat = AChat(chatInfo: item.chatInfo, chatItems: [item.chatItem], chatStats: stats)
        let responses: [ChatResponse] = [
            .newChatItems(user: user, chatItems: items), .apiChat(user: user, chat: chat, navInfo: nil),
            .apiChats(user: user, chats: [chat]), .chats(chats: [chat]), .newPreparedChat(user: user, chat: chat),
            .chatItems(user: user, chatName_: nil, chatItems: items), .rcvFileAccepted(user: user, chatItem: item),
        ]
        func shows(_ response: ChatResponse, _ chats: Set<CommandRights.Chat>) throws -> Bool {
            let rights = CommandRights(scopes: .read, chats: chats, paths: .ownFolders)
            let json = try JSONEncoder().encode(response.limitingOrigins(to: rights))
            return String(decoding: json, as: UTF8.self).contains("\"bob\"")
        }
        for response in responses {
            #expect(try !shows(response, [.notes(1)]))
            #expect(try shows(response, [.notes(1), .contact(1)]))
        }
        await close(alice, bob)
    }

    @Test
    func `A note that a user forwards to a contact is not marked as forwarded`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let note = try #require(try await alice.run("/_create *1 text my note").firstItemId)
        let sent = try await alice.run("/_forward @1 *1 \(note)")
        #expect(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemForwarded"] == nil)
        try await waitForText("my note", bob)
        #expect(try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["meta"]?["itemForwarded"] == nil)
        await close(alice, bob)
    }

    @Test
    func `The plan of forwarding lists only the selected items that can be forwarded`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let ids =
            try await alice.run(
                #"/_send @1 json [{"msgContent":{"type":"text","text":"one"}},{"msgContent":{"type":"text","text":"two"}}]"#
            )["chatItems"]?.arrayValue?.compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue } ?? []
        try #require(ids.count == 2)
        try await alice.run("/_delete item @1 \(ids[1]) internalMark")
        let plan = try await alice.run("/_forward plan @1 \(ids[0]),\(ids[1]),9999")
        #expect(plan["type"] == "forwardPlan")
        #expect(plan["itemsCount"] == 3)
        #expect(plan["chatItemIds"] == [.integer(ids[0])])
        #expect(plan["forwardConfirmation"] == nil)
        #expect(
            try await alice.wait(for: "chatErrors").last?["chatErrors"]?[0]?["storeError"]
                == ["type": "chatItemNotFound", "itemId": 9999]
        )
        #expect(try await alice.run("/_forward plan @1 1").errorType == "invalidForward")
        #expect(try await alice.run("/_forward @1 @1 1").errorType == "invalidForward")
        #expect(try await alice.run("/_forward *1 @1 \(ids[1])")["chatItems"] == [])
        #expect(try await alice.run("/_forward @77 @1 \(ids[0])").errorType == "contactNotFound")
        #expect(try await alice.run("/_forward *7 @1 \(ids[0])").errorType == "noteFolderNotFound")
        #expect(try await alice.run("/_forward *1 @77 \(ids[0])").errorType == "contactNotFound")
        await close(alice, bob)
    }

    @Test
    func `If the file of a message is missing, its text is forwarded, and the plan reports the file`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        func receive(_ content: String) async throws -> Int64 {
            let before = try await bob.events().count { $0.event["type"] == "newChatItems" }
            let params =
                #"{"content":\#(content),"file":{"fileName":"f","fileSize":3,"fileConnReq":null,"fileInline":null,"fileDescr":{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}}}"#
            try await alice.sendRaw("x.msg.new", params)
            try await bob.wait(for: "newChatItems", count: before + 1)
            return try #require(try await bob.run("/_get chat @1 count=1").itemIds.last)
        }
        let video = try await receive(#"{"type":"video","text":"a film","image":"i","duration":3}"#)
        let voice = try await receive(#"{"type":"voice","text":"","duration":3}"#)
        let image = try await receive(#"{"type":"image","text":"","image":"data:"}"#)
        let plan = try await bob.run("/_forward plan @1 \(video),\(voice),\(image)")
        #expect(plan["chatItemIds"] == [.integer(video), .integer(image)])
        #expect(plan["itemsCount"] == 3)
        #expect(plan["forwardConfirmation"] == ["type": "filesNotAccepted", "fileIds": [1, 2, 3]])
        let forwarded = try await bob.run("/_forward *1 @1 \(video),\(voice),\(image)")
        #expect(
            forwarded["chatItems"]?.arrayValue?.compactMap { $0["chatItem"]?["content"]?["msgContent"]?["type"] } == [
                "text", "text", "image",
            ]
        )
        #expect(forwarded["chatItems"]?[1]?["chatItem"]?["meta"]?["itemText"] == "voice message (00:03)")
        await close(alice, bob)
    }
}

extension Core {
    /// Sends an event of the chat protocol to contact 1, as a peer with other rules would.
    func sendRaw(_ tag: String, _ params: String, sharedID: SharedMessageID? = SharedMessageID.random()) async throws {
        let object = try JSONValue(parsing: params).objectValue ?? JSONObject()
        try await controller.store.write { tx in
            guard let user = try UserRecord.find(1, in: tx.db),
                let connection = try ContactRecord.get(1, user: user, in: tx.db).connection
            else { return }
            try tx.enqueue(ChatMessage(sharedID: sharedID, event: .other(tag: tag, params: object)), to: connection)
        }
    }
}
