import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite(.socketTimeLimit) struct MessagesTests {
    @Test
    func `A message from one user of a store arrives in the chat of another user of the same store`() async throws {
        let core = try await World().core("both")
        try await core.createUser("alice")
        try await core.createUser("bob")
        try await connectUsers(core, 1, to: core, 2)
        let sent = try await core.run(
            #"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"hello"},"mentions":{}}]"#,
            as: 1
        )
        #expect(sent["type"] == "newChatItems")
        try await core.wait(for: "chatItemsStatusesUpdated", user: 1)
        try await waitForText("hello", core, user: 2)
        let chat = try await core.run("/_get chat @1 count=50", as: 2)
        #expect(chat.itemTexts.last == "hello")
        #expect(chat["chat"]?["chatItems"]?.arrayValue?.last?["meta"]?["itemStatus"] == ["type": "rcvNew"])
        await core.controller.close()
    }

    @Test
    func `Two cores exchange a quote, an edit, a reaction, a deletion and read marks`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()

        let first = try await alice.run("/_send @1 text hello")
        let itemId = try #require(first.firstItemId)
        try await waitForText("hello", bob)
        let theirs = try #require(try await bob.run("/_get chat @1 count=1").itemIds.last)

        _ = try await bob.run(
            #"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"quoting"},"quotedItemId":\#(theirs),"mentions":{}}]"#
        )
        try await waitForText("quoting", alice)
        let quote = try await alice.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["quotedItem"]
        #expect(quote?["itemId"]?.integerValue == itemId)
        #expect(quote?["chatDir"] == ["type": "directSnd"])
        #expect(quote?["content"] == ["type": "text", "text": "hello"])

        let updated = try await alice.run(
            #"/_update item @1 \#(itemId) live=off json {"msgContent":{"type":"text","text":"hello, edited"},"mentions":{}}"#
        )
        #expect(updated["type"] == "chatItemUpdated")
        let told = try await bob.wait(for: "chatItemUpdated").last
        #expect(told?["chatItem"]?["chatItem"]?["meta"]?["itemText"] == "hello, edited")
        #expect(told?["chatItem"]?["chatItem"]?["meta"]?["itemEdited"] == true)
        let info = try await bob.run("/_get item info @1 \(theirs)")
        #expect(info["chatItemInfo"]?["itemVersions"]?.arrayValue?.count == 2)
        #expect(
            try await bob.run(
                #"/_update item @1 \#(theirs) live=off json {"msgContent":{"type":"text","text":"not mine"},"mentions":{}}"#
            ).errorType
                == "invalidChatItemUpdate"
        )

        let reaction = try await bob.run(#"/_reaction @1 \#(theirs) on {"type":"emoji","emoji":"👍"}"#)
        #expect(reaction["type"] == "chatItemReaction")
        let reacted = try await alice.wait(for: "chatItemReaction").last
        #expect(
            reacted?["reaction"]?["chatReaction"]?["chatItem"]?["reactions"]
                == [["reaction": ["type": "emoji", "emoji": "👍"], "userReacted": false, "totalReacted": 1]]
        )
        #expect(
            try await bob.run(#"/_reaction @1 \#(theirs) on {"type":"emoji","emoji":"👍"}"#)["errorType"]?["message"]
                == "reaction already added"
        )

        #expect(try await bob.run("/_read chat @1")["type"] == "cmdOk")
        #expect(try await bob.run("/_get chats 1 pcc=on")["chats"]?[0]?["chatStats"]?["unreadCount"] == 0)
        #expect(try await bob.run("/_delete item @1 \(theirs) broadcast").errorType == "invalidChatItemDelete")
        let deleted = try await alice.run("/_delete item @1 \(itemId) broadcast")
        #expect(deleted["chatItemDeletions"]?[0]?["toChatItem"] != nil)
        try await bob.wait(for: "chatItemsDeleted")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `An edit of only a character's encoding is applied on both sides, and an identical edit changes nothing`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let itemId = try #require(try await alice.run("/_send @1 text \(composed)").firstItemId)
        try await waitForText(composed, bob)
        func update(_ text: String) async throws -> JSONValue {
            try await alice.run(
                #"/_update item @1 \#(itemId) live=off json {"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}"#
            )
        }
        #expect(try await update(composed)["type"] == "chatItemNotChanged")
        #expect(try await update(decomposed)["type"] == "chatItemUpdated")
        let text = try await bob.wait(for: "chatItemUpdated").last?["chatItem"]?["chatItem"]?["meta"]?["itemText"]?
            .stringValue
        #expect(text.map { Array($0.utf8) } == Array(decomposed.utf8))
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `Messages to a contact who is offline arrive once and in order when the contact is online again`() async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        var bob = try await world.core("bob")
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        await bob.controller.close()
        let texts = (0..<20).map { "message \($0)" }
        for text in texts { try await alice.run("/_send @1 text \(text)") }
        bob = try await world.core("bob")
        try await waitForText("message 19", bob)
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts == texts)
        await bob.controller.close()
        await alice.controller.close()
    }

    @Test
    func `If a user writes messages while the core is offline, the next start sends the messages`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.run(#"/_network info {"networkType":"none","online":false}"#)
        try await alice.run("/_send @1 text written offline")
        await alice.controller.close()
        let again = try await world.core("alice")
        try await waitForText("written offline", bob)
        #expect(try await bob.run("/_get chat @1 count=50").itemTexts.count { $0 == "written offline" } == 1)
        await again.controller.close()
        await bob.controller.close()
    }
}
