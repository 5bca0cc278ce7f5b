import JSON
import TestSupport
import Testing

@testable import ChatCore

/// Messages that owners send as the group.
@Suite(.socketTimeLimit) struct GroupPostTests {
    private func postAsGroup(_ text: String, _ core: Core) async throws -> JSONValue {
        try await core.sendText(text, in: "#1(as_group=on)")
    }

    @Test
    func `Members see an owner's post, its edit and its deletion as made by the group`() async throws {
        let trio = try await Trio()
        let posted = try await postAsGroup("news", trio.alice)
        let own = try #require(posted["chatItems"]?.arrayValue?.first?["chatItem"], "\(posted)")
        #expect(own["meta"]?["showGroupAsSender"] == true && own["chatDir"]?["type"] == "groupSnd")
        for core in [trio.bob, trio.carol] {
            let item = try await core.waitForGroupPost("news")
            #expect(item["meta"]?["showGroupAsSender"] == true)
        }
        let id = try #require(own["meta"]?["itemId"]?.integerValue)
        let received = try #require(try await trio.bob.waitForGroupPost("news")["meta"]?["itemId"]?.integerValue)
        _ = try await trio.bob.run(##"/_reaction #1 \##(received) on {"type":"emoji","emoji":"👍"}"##)
        for core in [trio.alice, trio.carol] {
            let told = try await core.wait(for: "chatItemReaction")[0]
            #expect(told["reaction"]?["chatReaction"]?["chatItem"]?["meta"]?["itemText"] == "news", "\(told)")
        }
        _ = try await trio.alice.run(
            ##"/_update item #1 \##(id) live=off json {"msgContent":{"type":"text","text":"new news"},"mentions":{}}"##
        )
        // For both members, the first event is the change of the item of their invitation.
        for core in [trio.bob, trio.carol] {
            let updated = try await core.wait(for: "chatItemUpdated", count: 2).last
            #expect(updated?["chatItem"]?["chatItem"]?["chatDir"]?["type"] == "channelRcv")
            #expect(updated?["chatItem"]?["chatItem"]?["meta"]?["itemText"] == "new news")
        }
        _ = try await trio.alice.run("/_delete item #1 \(id) broadcast")
        for core in [trio.bob, trio.carol] { try await core.wait(for: "chatItemsDeleted") }
        await trio.close()
    }

    @Test
    func `Only an owner can post, edit or delete in the name of the group`() async throws {
        let trio = try await Trio(roles: (bob: "admin", carol: "member"))
        #expect(try await postAsGroup("not mine", trio.bob)["errorType"]?["type"] == "groupUserRole")
        let message = #"{"content":{"type":"text","text":"forged"},"asGroup":true}"#
        try await trio.carol.sendToMembers([("x.msg.new", message)], id: "CQgHBg")
        try await trio.carol.sendToMembers([
            ("x.msg.update", #"{"msgId":"AQIDBQ","content":{"type":"text","text":"forged"},"asGroup":true}"#)
        ])
        _ = try await postAsGroup("of the group", trio.alice)
        let post = try await trio.carol.waitForGroupPost("of the group")
        let id = try #require(post["meta"]?["itemSharedMsgId"]?.stringValue)
        try await trio.bob.waitForGroupPost("of the group")
        try await trio.carol.sendToMembers([
            ("x.msg.update", #"{"msgId":"\#(id)","content":{"type":"text","text":"forged"},"asGroup":true}"#),
            ("x.msg.update", #"{"msgId":"\#(id)","content":{"type":"text","text":"of carol"}}"#),
            ("x.msg.del", #"{"msgId":"\#(id)"}"#),
        ])
        try await trio.carol.sendToGroup("the end", to: 1)
        try await trio.bob.waitForGroupText("the end")
        let items = try await trio.bob.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        #expect(!items.contains { $0["meta"]?["itemText"] == "forged" })
        let kept = items.first { $0["meta"]?["itemText"] == "of the group" }
        #expect(
            kept?["chatDir"]?["type"] == "channelRcv" && kept?["meta"]?["itemDeleted"] == nil
                && kept?["meta"]?["itemEdited"] == false
        )
        await trio.close()
    }
}

extension Core {
    /// Waits for the event of a post of the group with this text.
    @discardableResult
    func waitForGroupPost(_ text: String) async throws -> JSONValue {
        var count = 1
        while true {
            let events = try await wait(for: "newChatItems", count: count)
            let items = events.flatMap { $0["chatItems"]?.arrayValue ?? [] }.compactMap { $0["chatItem"] }
            if let found = items.first(where: {
                $0["meta"]?["itemText"]?.stringValue == text && $0["chatDir"]?["type"] == "channelRcv"
            }) {
                return found
            }
            count = events.count + 1
        }
    }
}
