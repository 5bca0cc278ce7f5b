import JSON
import TestSupport
import Testing

@testable import ChatCore

/// Items that are unread and move their chat to the top of the list.
@Suite(.socketTimeLimit) struct AttentionTests {
    private func close(_ cores: Core...) async {
        for core in cores { await core.controller.close() }
    }

    private func directChat(_ core: Core) async throws -> JSONValue {
        try #require(
            try await core.run("/_get chats 1 pcc=off")["chats"]?.arrayValue?.first {
                $0["chatInfo"]?["type"] == "direct"
            }
        )
    }

    @Test
    func `A change of a queue or ratchet adds unread items for the contact, but not for the user who started it`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        for core in [alice, bob] {
            try await core.run("/_read chat @1")
            try await core.run("/_create *1 text a note")
        }
        try await alice.run("/_switch @1")
        for core in [alice, bob] { try await core.wait(for: "contactSwitch", count: 4) }
        #expect(try await directChat(alice)["chatStats"]?["unreadCount"] == 0)
        #expect(try await directChat(bob)["chatStats"]?["unreadCount"] == 2)
        let items = try await bob.run("/_get chat @1 count=2")["chat"]?["chatItems"]?.arrayValue ?? []
        #expect(items.map { $0["content"]?["type"] } == ["rcvConnEvent", "rcvConnEvent"])
        #expect(items.allSatisfy { $0["meta"]?["itemStatus"]?["type"] == "rcvNew" })
        for core in [alice, bob] {
            #expect(try await core.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatInfo"]?["type"] == "direct")
        }
        try await bob.run("/_sync @1 force=on")
        try await alice.wait(for: "contactRatchetSync", count: 2)
        #expect(try await directChat(alice)["chatStats"]?["unreadCount"] == 2)
        await close(alice, bob)
    }

    @Test
    func `A contact's new preference moves the chat up in the list only if the user had deleted the chat`() async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        for core in [alice, bob] { try await core.run("/_create *1 text a note") }
        let before = try await directChat(bob)["chatInfo"]?["contact"]?["chatTs"]
        try await alice.run(#"/_set prefs @1 {"voice":{"allow":"no"}}"#)
        try await bob.wait(for: "contactUpdated")
        #expect(try await alice.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatInfo"]?["type"] == "direct")
        #expect(try await bob.run("/_get chats 1 pcc=off")["chats"]?[0]?["chatInfo"]?["type"] == "local")
        #expect(try await directChat(bob)["chatInfo"]?["contact"]?["chatTs"] == before)
        #expect(try await bob.run("/_delete @1 messages")["contact"]?["chatDeleted"] == true)
        try await alice.run(#"/_set prefs @1 {"voice":{"allow":"yes"}}"#)
        try await bob.wait(for: "contactUpdated", count: 2)
        let contact = try await directChat(bob)["chatInfo"]?["contact"]
        #expect(contact?["chatDeleted"] == false)
        #expect(contact?["chatTs"] != before)
        await close(alice, bob)
    }

    @Test
    func `Reading all chats removes the unread mark of a chat, but reading only this chat keeps the mark`() async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_send @1 text hello")
        try await waitForText("hello", alice)
        try await alice.run("/_unread chat @1 on")
        try await alice.run("/_unread chat *1 on")
        try await alice.run("/_read chat @1")
        #expect(try await directChat(alice)["chatStats"]?["unreadCount"] == 0)
        #expect(try await directChat(alice)["chatStats"]?["unreadChat"] == true)
        try await alice.run("/_read user 1")
        let stats = try await alice.run("/_get chats 1 pcc=off")["chats"]?.arrayValue?.compactMap {
            $0["chatStats"]?["unreadChat"]
        }
        #expect(stats == [false, false])
        await close(alice, bob)
    }

    @Test
    func `If a user has marked a message as deleted, the contact's reaction to the message is ignored`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let item = try #require(try await alice.run("/_send @1 text hello").firstItemId)
        try await waitForText("hello", bob)
        let received = try #require(try await bob.run("/_get chat @1 count=1").itemIds.last)
        for emoji in ["🚀", "👍"] {
            try await alice.run(#"/_reaction @1 \#(item) on {"type":"emoji","emoji":"\#(emoji)"}"#)
        }
        try await bob.wait(for: "chatItemReaction", count: 2)
        func reactions(_ core: Core) async throws -> [JSONValue] {
            (try await core.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["reactions"]?.arrayValue ?? [])
                .compactMap { $0["reaction"]?["emoji"] }
        }
        for core in [alice, bob] { #expect(try await reactions(core) == ["👍", "🚀"]) }
        try await bob.run("/_delete item @1 \(received) internalMark")
        try await alice.run(#"/_reaction @1 \#(item) on {"type":"emoji","emoji":"✅"}"#)
        try await alice.run("/_send @1 text after all")
        try await waitForText("after all", bob)
        let kept = try await bob.run("/_get chat @1 count=2")["chat"]?["chatItems"]?[0]
        #expect(kept?["reactions"]?.arrayValue?.count == 2)
        await close(alice, bob)
    }

    @Test
    func `The earlier texts of an edited message are kept`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let sent = try await alice.run(
            #"/_send @1 json [{"msgContent":{"type":"image","text":"one","image":"data:"},"mentions":{}}]"#
        )
        let item = try #require(sent.firstItemId)
        let whole = try await alice.run("/_get item info @1 \(item)")["chatItemInfo"]?["itemVersions"]
        #expect(whole?[0]?["msgContent"] == ["type": "image", "text": "one", "image": "data:"])
        try await alice.run(
            #"/_update item @1 \#(item) live=off json {"msgContent":{"type":"image","text":"two","image":"data:"},"mentions":{}}"#
        )
        let versions =
            try await alice.run("/_get item info @1 \(item)")["chatItemInfo"]?["itemVersions"]?.arrayValue ?? []
        #expect(
            versions.map { $0["msgContent"] } == [["type": "text", "text": "two"], ["type": "text", "text": "one"]]
        )
        await close(alice, bob)
    }

    @Test
    func `A quote of a file without text shows the name of the file`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let file =
            #""file":{"fileName":"../odd/photo.jpg","fileSize":3,"fileConnReq":null,"fileInline":null,"fileDescr":{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}}"#
        for (count, content) in [
            #"{"type":"image","text":"","image":"data:"}"#, #"{"type":"file","text":""}"#,
            #"{"type":"image","text":"mine","image":"data:"}"#,
        ].enumerated() {
            let before = try await bob.events().count { $0.event["type"] == "newChatItems" }
            try await alice.sendRaw("x.msg.new", "{\"content\":\(content),\(file)}")
            try await bob.wait(for: "newChatItems", count: before + 1)
            let received = try #require(try await bob.run("/_get chat @1 count=1").itemIds.last)
            let answer = try await bob.run(
                #"/_send @1 json [{"quotedItemId":\#(received),"msgContent":{"type":"text","text":"nice"},"mentions":{}}]"#
            )
            let quoted = answer["chatItems"]?[0]?["chatItem"]?["quotedItem"]?["content"]
            let expected: [JSONValue] = [
                ["type": "image", "text": "photo.jpg", "image": "data:"], ["type": "file", "text": "photo.jpg"],
                ["type": "image", "text": "mine", "image": "data:"],
            ]
            #expect(quoted == expected[count])
        }
        await close(alice, bob)
    }

    @Test
    func `A received message with an unknown event is reported as an unsupported message`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        // Messages that wait together are sent as one, and an error is reported for each sent message.
        try await alice.sendRaw("x.future", "{}")
        try await bob.wait(for: "messageError")
        for tag in ["x.file.acpt", "x.ok"] { try await alice.sendRaw(tag, "{}") }
        try await alice.run("/_send @1 text the end")
        try await waitForText("the end", bob)
        let told = try await bob.events().filter { $0.event["type"] == "messageError" }.map(\.event["errorMessage"])
        #expect(told == ["unsupported message: x.future", "unsupported message: x.ok"])
        await close(alice, bob)
    }
}
