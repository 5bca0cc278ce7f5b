import ChatAPI
import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Limits of messages by preferences, times and sizes, and unusual texts.
@Suite(.socketTimeLimit) struct MessageLimitsTests {
    private func close(_ cores: Core...) async {
        for core in cores { await core.controller.close() }
    }

    /// Sends a text, and returns its item ids at the sender and at the recipient.
    private func sendText(_ text: String, _ alice: Core, to bob: Core) async throws -> (Int64, Int64) {
        let sent = try #require(try await alice.run("/_send @1 text \(text)").firstItemId)
        try await waitForText(text, bob)
        return (sent, try #require(try await bob.run("/_get chat @1 count=1").itemIds.last))
    }

    private func makeItemsOlder(_ core: Core, hours: Int64) async throws {
        try await core.controller.store.write { tx in
            try tx.db.execute(
                "UPDATE chat_items SET item_ts = item_ts - ? WHERE msg_content_tag IS NOT NULL",
                [hours * 3_600_000_000_000]
            )
        }
    }

    @Test
    func `A message can be edited for one day, deleted for both sides for 30 hours, and deleted locally at any time`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let (first, _) = try await sendText("first", alice, to: bob)
        let (second, _) = try await sendText("second", alice, to: bob)
        try await makeItemsOlder(alice, hours: 25)
        let edit = #"live=off json {"msgContent":{"type":"text","text":"other"},"mentions":{}}"#
        #expect(try await alice.run("/_update item @1 \(first) \(edit)").errorType == "invalidChatItemUpdate")
        let meta = try await alice.run("/_get item info @1 \(first)")["chatItem"]?["chatItem"]?["meta"]
        #expect(meta?["deletable"] == false)
        #expect(meta?["editable"] == false)
        #expect(try await alice.run("/_delete item @1 \(first) broadcast")["type"] == "chatItemsDeleted")
        try await bob.wait(for: "chatItemsDeleted")
        try await makeItemsOlder(alice, hours: 6)
        #expect(try await alice.run("/_delete item @1 \(second) broadcast").errorType == "invalidChatItemDelete")
        #expect(try await alice.run("/_delete item @1 \(second) internal")["chatItemDeletions"]?.arrayValue?.count == 1)
        await close(alice, bob)
    }

    @Test
    func `A contact's deletion of its own message for both sides is accepted for 78 hours`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (sent, received) = try await sendText("old", alice, to: bob)
        try await makeItemsOlder(bob, hours: 79)
        try await alice.run("/_delete item @1 \(sent) broadcast")
        #expect(
            try await bob.wait(for: "messageError").last?["errorMessage"]
                == "x.msg.del: the contact may not delete this message"
        )
        #expect(
            try await bob.run("/_get item info @1 \(received)")["chatItem"]?["chatItem"]?["meta"]?["itemDeleted"] == nil
        )
        await close(alice, bob)
    }

    @Test
    func `If both sides allow full deletion, a message deleted for both sides is removed on both sides`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (sent, received) = try await sendText("to be gone", alice, to: bob)
        try await alice.run(#"/_set prefs @1 {"fullDelete":{"allow":"always"}}"#)
        try await bob.wait(for: "contactUpdated")
        try await bob.run(#"/_set prefs @1 {"fullDelete":{"allow":"always"}}"#)
        try await alice.wait(for: "contactUpdated")
        let deleted = try await alice.run("/_delete item @1 \(sent) broadcast")
        #expect(deleted["chatItemDeletions"]?[0]?["toChatItem"] == nil)
        let told = try await bob.wait(for: "chatItemsDeleted").last
        #expect(told?["chatItemDeletions"]?[0]?["toChatItem"] == nil)
        #expect(told?["byUser"] == false)
        #expect(try await bob.run("/_get item info @1 \(received)").errorType == "chatItemNotFound")
        await close(alice, bob)
    }

    @Test
    func `Both sides refuse voice messages and reactions that the preferences of the contact forbid`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let (sent, received) = try await sendText("no reactions please", alice, to: bob)
        try await bob.run(#"/_set prefs @1 {"voice":{"allow":"no"},"reactions":{"allow":"no"}}"#)
        try await alice.wait(for: "contactUpdated")
        let voice = #"{"type":"voice","text":"","duration":3}"#
        #expect(
            try await alice.run("/_send @1 json [{\"msgContent\":\(voice),\"mentions\":{}}]")["errorType"]?["message"]
                == "feature not allowed Voice messages"
        )
        for (core, item) in [(alice, sent), (bob, received)] {
            #expect(
                try await core.run(#"/_reaction @1 \#(item) on {"type":"emoji","emoji":"👍"}"#)["errorType"]?["message"]
                    == "feature not allowed Message reactions"
            )
        }
        let sharedID = try #require(
            try await alice.run("/_get item info @1 \(sent)")["chatItem"]?["chatItem"]?["meta"]?["itemSharedMsgId"]?
                .stringValue
        )
        try await alice.sendRaw(
            "x.msg.react",
            #"{"msgId":"\#(sharedID)","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#,
            sharedID: nil
        )
        try await alice.sendRaw("x.msg.new", "{\"content\":\(voice)}")
        try await alice.run("/_send @1 text after it")
        try await waitForText("after it", bob)
        let items = try await bob.run("/_get chat @1 count=2")["chat"]?["chatItems"]
        #expect(items?[0]?["content"] == ["type": "rcvChatFeatureRejected", "feature": "voice"])
        #expect(try await bob.run("/_get item info @1 \(received)")["chatItem"]?["chatItem"]?["reactions"] == [])
        await close(alice, bob)
    }

    @Test
    func `A message has at most three reactions of each side, and an unknown emoji of the contact is shown`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let (sent, received) = try await sendText("nice", alice, to: bob)
        for emoji in ["👍", "😀", "🚀"] {
            #expect(
                try await alice.run(#"/_reaction @1 \#(sent) on {"type":"emoji","emoji":"\#(emoji)"}"#)["type"]
                    == "chatItemReaction"
            )
        }
        #expect(
            try await alice.run(#"/_reaction @1 \#(sent) on {"type":"emoji","emoji":"✅"}"#)["errorType"]?["message"]
                == "too many reactions"
        )
        #expect(
            try await alice.run(#"/_reaction @1 \#(sent) off {"type":"emoji","emoji":"✅"}"#)["errorType"]?["message"]
                == "reaction already removed"
        )
        try await bob.wait(for: "chatItemReaction", count: 3)
        let sharedID = try #require(
            try await bob.run("/_get item info @1 \(received)")["chatItem"]?["chatItem"]?["meta"]?["itemSharedMsgId"]?
                .stringValue
        )
        try await bob.sendRaw(
            "x.msg.react",
            #"{"msgId":"\#(sharedID)","reaction":{"type":"emoji","emoji":"🦊"},"add":true}"#,
            sharedID: nil
        )
        let told = try await alice.wait(for: "chatItemReaction").last
        #expect(told?["reaction"]?["chatReaction"]?["reaction"] == ["type": "emoji", "emoji": "🦊"])
        // A fourth reaction of the peer is not shown.
        try await alice.sendRaw(
            "x.msg.react",
            #"{"msgId":"\#(sharedID)","reaction":{"type":"emoji","emoji":"🐍"},"add":true}"#,
            sharedID: nil
        )
        _ = try await sendText("end", alice, to: bob)
        #expect(
            try await bob.run("/_get item info @1 \(received)")["chatItem"]?["chatItem"]?["reactions"]?.arrayValue?
                .count == 3
        )
        await close(alice, bob)
    }

    @Test
    func `A search for messages matches literal text, also characters with a meaning in SQL`() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        let texts = [
            "100% sure", "100 percent", "snake_case", "snakeXcase", "it's 'quoted'", #"a "word""#, #"back\slash"#,
            "Grüße", "a*b", "-- x; DROP TABLE",
        ]
        let notes = JSONValue.array(texts.map { ["msgContent": ["type": "text", "text": .string($0)]] })
        try await alice.run("/_create *1 json \(notes.text)")
        let cases: [(String, [String])] = [
            ("0%", ["100% sure"]), ("e_c", ["snake_case"]), ("'", ["it's 'quoted'"]), (#""word""#, [#"a "word""#]),
            (#"\"#, [#"back\slash"#]),
            ("*", ["a*b"]), ("--", ["-- x; DROP TABLE"]), ("SURE", ["100% sure"]), ("%", ["100% sure"]),
        ]
        for (search, found) in cases {
            #expect(try await alice.run("/_get chat *1 count=50 search=\(search)").itemTexts == found, "\(search)")
            #expect(
                try await alice.run("/_get items count=50 search=\(search)")["chatItems"]?.arrayValue?.count
                    == found.count,
                "\(search)"
            )
        }
        await alice.controller.close()
    }

    @Test
    func `A page of items around a deleted item is refused, and a page around an item marked as deleted is returned`()
        async throws
    {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        let notes = JSONValue.array((0..<5).map { ["msgContent": ["type": "text", "text": .string("note \($0)")]] })
        try await alice.run("/_create *1 json \(notes.text)")
        let ids = try await alice.run("/_get chat *1 count=5").itemIds
        try #require(ids.count == 5)
        try await alice.run("/_delete item *1 \(ids[2]) internal")
        for form in ["around", "before", "after"] {
            #expect(
                try await alice.run("/_get chat *1 \(form)=\(ids[2]) count=2")["storeError"]
                    == ["type": "chatItemNotFound", "itemId": .integer(ids[2])]
            )
        }
        #expect(try await alice.run("/_get items around=\(ids[2]) count=2").errorType == "chatItemNotFound")
        #expect(
            try await alice.run("/_get chat *1 around=\(ids[3]) count=2").itemIds == [ids[0], ids[1], ids[3], ids[4]]
        )
        await alice.controller.close()
    }

    @Test
    func `A message keeps right-to-left marks and thousands of emoji, and a text that is too large is refused`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let marks = "\u{202E}txt.exe\u{202C} \u{200F}שלום\u{200E} \u{2067}עברית\u{2069}"
        let emoji = String(repeating: "😀", count: 3_500)
        for text in [marks, emoji, "👩‍👩‍👧‍👦 e\u{301} \u{0}x".replacing("\u{0}", with: "")] {
            _ = try await sendText(text, alice, to: bob)
            #expect(
                try await bob.run("/_get chat @1 count=1").itemTexts.last.map { Array($0.utf8) } == Array(text.utf8)
            )
        }
        let many = String(repeating: "😀", count: 10_000)
        #expect(try await alice.run("/_send @1 text \(many)").errorType == "largeMsg")
        #expect(
            try await alice.run("/_create *1 text \(many)")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?
                .stringValue?.utf8.count == 40_000
        )
        await close(alice, bob)
    }

    @Test
    func `A simultaneous edit and deletion of a message lead to the same item on both sides`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        for round in 0..<5 {
            let (sent, received) = try await sendText("round \(round)", alice, to: bob)
            async let updated = alice.run(
                #"/_update item @1 \#(sent) live=off json {"msgContent":{"type":"text","text":"changed \#(round)"}}"#
            )
            async let deleted = alice.run("/_delete item @1 \(sent) broadcast")
            let (update, deletion) = (try await updated, try await deleted)
            #expect(update["type"] == "chatItemUpdated" || update.errorType == "invalidChatItemUpdate")
            #expect(deletion["type"] == "chatItemsDeleted")
            try await bob.wait(for: "chatItemsDeleted", count: round + 1)
            let ours = try await alice.run("/_get item info @1 \(sent)")["chatItem"]?["chatItem"]?["meta"]
            let theirs = try await bob.run("/_get item info @1 \(received)")["chatItem"]?["chatItem"]?["meta"]
            #expect(ours?["itemText"] == theirs?["itemText"])
            #expect(ours?["itemDeleted"] != nil && theirs?["itemDeleted"] != nil)
        }
        await close(alice, bob)
    }

    @Test
    func `The timer of a live message starts when the sender ends the message, and both sides delete the message`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let sent = try await alice.run(
            #"/_send @1 live=on ttl=1 json [{"msgContent":{"type":"text","text":"typing"}}]"#
        )
        let item = try #require(sent.firstItemId)
        #expect(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemTimed"] == ["ttl": 1])
        #expect(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemLive"] == true)
        try await waitForText("typing", bob)
        let going = try await alice.run(
            #"/_update item @1 \#(item) live=on json {"msgContent":{"type":"text","text":"typing on"}}"#
        )
        #expect(going["chatItem"]?["chatItem"]?["meta"]?["itemEdited"] == false)
        try await bob.wait(for: "chatItemUpdated")
        let done = try await alice.run(
            #"/_update item @1 \#(item) live=off json {"msgContent":{"type":"text","text":"typed"}}"#
        )
        #expect(done["chatItem"]?["chatItem"]?["meta"]?["itemTimed"]?["deleteAt"] != nil)
        #expect(
            done["chatItem"]?["chatItem"]?["meta"]?["itemLive"] == false
                || done["chatItem"]?["chatItem"]?["meta"]?["itemLive"] == nil
        )
        try await bob.wait(for: "chatItemUpdated", count: 2)
        try await bob.run("/_read chat @1")
        for core in [alice, bob] { #expect(try await core.wait(for: "chatItemsDeleted").last?["timed"] == true) }
        await close(alice, bob)
    }

    @Test
    func `A command for ten thousand items succeeds, and a command for no items is refused`() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        let notes = JSONValue.array((0..<10_000).map { ["msgContent": ["type": "text", "text": .string("n\($0)")]] })
        let created = try await alice.run("/_create *1 json \(notes.text)")["chatItems"]?.arrayValue ?? []
        let ids = created.compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue }
        #expect(ids.count == 10_000)
        let list = ids.map(String.init).joined(separator: ",")
        #expect(try await alice.run("/_forward plan *1 \(list)")["chatItemIds"]?.arrayValue?.count == 10_000)
        #expect(
            try await alice.run("/_delete item *1 \(list) internal")["chatItemDeletions"]?.arrayValue?.count == 10_000
        )
        #expect(throws: (any Error).self) { try ChatCommand(parsing: "/_create *1 json []") }
        let empty = await alice.controller.send(
            .messages(.createChatItems(noteFolderId: 1, composedMessages: [])),
            with: .all
        )
        #expect(try JSONEncoder().encodeValue(empty)["error"] != nil)
        await alice.controller.close()
    }
}
