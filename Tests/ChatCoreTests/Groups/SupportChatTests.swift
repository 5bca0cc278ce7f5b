import JSON
import TestSupport
import Testing

@testable import ChatCore

/// Chats of single members with the moderators, and reports of members. Alice is the owner, Bob a moderator, Carol a
/// member.
@Suite(.socketTimeLimit) struct SupportChatTests {
    private static let roles = (bob: "moderator", carol: "member")

    @Test
    func `A question in a support chat reaches only moderators, and an answer reaches only the member and moderators`()
        async throws
    {
        let trio = try await Trio(roles: Self.roles)
        let asked = try await trio.carol.sendText("a question", in: "#1(_support)")
        #expect(
            asked["chatItems"]?.arrayValue?.first?["chatInfo"]?["groupChatScope"] == ["type": "memberSupport"],
            "\(asked)"
        )
        for core in [trio.alice, trio.bob] {
            let item = try await core.waitForScopedText("a question")
            #expect(item["chatInfo"]?["groupChatScope"]?["groupMember_"]?["localDisplayName"] == "carol")
            let support = item["chatInfo"]?["groupChatScope"]?["groupMember_"]?["supportChat"]
            #expect(support?["unread"] == 1 && support?["memberAttention"] == 1, "\(item)")
            #expect(item["chatInfo"]?["groupInfo"]?["membersRequireAttention"] == 1)
        }
        let status = try await trio.carol.wait(for: "chatItemsStatusesUpdated").first?["chatItems"]?[0]
        #expect(
            status?["chatItem"]?["meta"]?["itemText"] == "a question"
                && status?["chatInfo"]?["groupChatScope"] == ["type": "memberSupport"],
            "\(status ?? .null)"
        )
        let carol = try await trio.bob.memberNumber("carol")
        let answered = try await trio.bob.sendText("an answer", in: "#1(_support:\(carol))")
        #expect(answered["type"] == "newChatItems", "\(answered)")
        #expect(
            try await trio.carol.waitForScopedText("an answer")["chatInfo"]?["groupChatScope"] == [
                "type": "memberSupport"
            ]
        )
        // The other moderator has answered, so no attention is needed. Within one second the order is unknown.
        let seen = try await trio.alice.waitForScopedText("an answer")
        let question = try await trio.alice.waitForScopedText("a question")
        let isLater = seen["chatItem"]?["meta"]?["itemTs"] != question["chatItem"]?["meta"]?["itemTs"]
        #expect(seen["chatInfo"]?["groupInfo"]?["membersRequireAttention"] == (isLater ? 0 : 1))
        for core in [trio.alice, trio.bob, trio.carol] {
            let main = try await core.run("/_get chat #1 count=100").itemTexts
            #expect(!main.contains("a question") && !main.contains("an answer"))
            let search = try await core.run("/_get chat #1 count=100 search=answer").itemTexts
            #expect(search.isEmpty)
        }
        // Times of received items have no fractions of a second, and decide the order.
        #expect(
            try await Set(trio.carol.run("/_get chat #1(_support) count=100").itemTexts) == ["a question", "an answer"]
        )
        #expect(
            try await trio.alice.run("/_get chat #1(_support:3) count=100").itemTexts == ["a question", "an answer"]
        )
        #expect(
            try await trio.alice.run("/_get chat #1(_support:3) count=100 search=answer").itemTexts == ["an answer"]
        )
        let list = try await trio.alice.run("/_get chats 1 pcc=off")["chats"]?.arrayValue ?? []
        let group = list.first { $0["chatInfo"]?["type"] == "group" }
        #expect(group?["chatStats"]?["unreadCount"] == 0, "\(String(describing: group))")
        await trio.close()
    }

    @Test
    func `If a group forbids voice messages, only the host may send one to a member who waits for approval`()
        async throws
    {
        let trio = try await Trio(
            roles: ("member", "moderator"),
            profile: #"{"displayName":"team","fullName":"","groupPreferences":{"voice":{"enable":"off"}}}"#
        )
        let voice = #"[{"msgContent":{"type":"voice","text":"","duration":3},"mentions":{}}]"#
        func speak(_ core: Core, in chat: String) async throws -> JSONValue {
            try await core.run("/_send \(chat) live=off ttl=default json \(voice)")
        }
        let bob = try await trio.alice.memberNumber("bob")
        #expect(
            try await speak(trio.alice, in: "#1(_support:\(bob))")["errorType"]?["message"]
                == "feature not allowed Voice messages"
        )
        // Both stores get the state in which Bob waits for the approval of the host. Other programs can cause this
        // state.
        for (core, member) in [
            (trio.alice, bob),
            (
                trio.bob,
                try #require(
                    try await trio.bob.run("/_info #1")["groupInfo"]?["membership"]?["groupMemberId"]?.integerValue
                )
            ),
        ] {
            try await core.controller.store.write { tx in
                try tx.db.execute(
                    "UPDATE group_members SET member_status = 'pending_approval' WHERE user_id = 1 AND group_member_id = ?",
                    [member]
                )
            }
        }
        let spoken = try await speak(trio.alice, in: "#1(_support:\(bob))")
        #expect(spoken["type"] == "newChatItems", "\(spoken)")
        try await waitUntil("the voice message has arrived") {
            let items =
                try await trio.bob.run("/_get chat #1(_support) count=100")["chat"]?["chatItems"]?.arrayValue ?? []
            return items.contains { $0["content"]?["msgContent"]?["type"] == "voice" }
        }
        for (core, chat) in [
            (trio.alice, "#1"), (trio.carol, "#1(_support:\(try await trio.carol.memberNumber("bob")))"),
            (trio.bob, "#1(_support)"),
        ] {
            #expect(try await speak(core, in: chat)["type"] == "error", "\(chat)")
        }
        // The voice message is not accepted from other members or in other chats.
        try await trio.bob.controller.store.read { db in
            let user = try #require(try UserRecord.find(1, in: db)), group = try GroupRecord.get(1, user: user, in: db)
            let place = group.supportChatGroup(of: group.membership)
            #expect(
                place.allows(.voice, by: .member(.owner, isHost: true), user)
                    && !place.allows(.voice, by: .member(.moderator, isHost: false), user)
            )
            #expect(!group.allows(.voice, by: .member(.owner, isHost: true), user))
        }
        await trio.close()
    }

    @Test
    func `Edits, reactions and deletions of messages in a support chat are shown in this support chat`() async throws {
        let trio = try await Trio(roles: Self.roles)
        let asked = try await trio.carol.sendText("a question", in: "#1(_support)")
        let own = try #require(asked["chatItems"]?.arrayValue?.first?["chatItem"]?["meta"]?["itemId"]?.integerValue)
        let received = try await trio.bob.waitForScopedText("a question")
        let item = try #require(received["chatItem"]?["meta"]?["itemId"]?.integerValue)
        let number = try await trio.bob.memberNumber("carol")
        let reacted = try await trio.bob.run(
            ##"/_reaction #1(_support:\##(number)) \##(item) on {"type":"emoji","emoji":"👍"}"##
        )
        #expect(reacted["type"] == "chatItemReaction", "\(reacted)")
        let told = try await trio.carol.wait(for: "chatItemReaction")[0]
        #expect(told["reaction"]?["chatInfo"]?["groupChatScope"] == ["type": "memberSupport"])
        let updated = try await trio.carol.run(
            ##"/_update item #1(_support) \##(own) live=off json {"msgContent":{"type":"text","text":"another question"},"mentions":{}}"##
        )
        #expect(updated["type"] == "chatItemUpdated", "\(updated)")
        for core in [trio.alice, trio.bob] {
            // For Bob, the first event is the change of the item of his invitation.
            let event = try await core.wait(for: "chatItemUpdated", count: core === trio.bob ? 2 : 1).last
            #expect(event?["chatItem"]?["chatInfo"]?["groupChatScope"]?["groupMember_"]?["localDisplayName"] == "carol")
        }
        // The item is not found in the group itself.
        #expect(try await trio.carol.run("/_get item info #1 \(own)")["storeError"]?["type"] == "chatItemNotFound")
        let deleted = try await trio.carol.run("/_delete item #1(_support) \(own) broadcast")
        #expect(deleted["type"] == "chatItemsDeleted", "\(deleted)")
        for core in [trio.alice, trio.bob] {
            let event = try await core.wait(for: "chatItemsDeleted")[0]
            let info = event["chatItemDeletions"]?.arrayValue?.first?["deletedChatItem"]?["chatInfo"]
            #expect(info?["groupChatScope"]?["groupMember_"]?["localDisplayName"] == "carol", "\(event)")
        }
        await trio.close()
    }

    @Test
    func `Reading a support chat lowers its unread counts, and deleting the support chat removes its items`()
        async throws
    {
        let trio = try await Trio(roles: Self.roles)
        for text in ["one", "two", "three"] { _ = try await trio.carol.sendText(text, in: "#1(_support)") }
        for text in ["one", "two", "three"] { try await trio.alice.waitForScopedText(text) }
        let page = try await trio.alice.run("/_get chat #1(_support:3) initial=10")
        #expect(page["chat"]?["chatStats"]?["unreadCount"] == 3, "\(page)")
        let first = try #require(page["chat"]?["chatItems"]?.arrayValue?.first?["meta"]?["itemId"]?.integerValue)
        let some = try await trio.alice.run("/_read chat items #1(_support:3) \(first)")
        #expect(some["type"] == "itemsReadForChat", "\(some)")
        func support() async throws -> JSONValue? {
            try await trio.alice.run("/_members #1")["group"]?["members"]?.arrayValue?.first {
                $0["groupMemberId"] == 3
            }?["supportChat"]
        }
        #expect(try await support()?["unread"] == 2)
        #expect(try await support()?["memberAttention"] == 2)
        let all = try await trio.alice.run("/_read chat #1(_support:3)")
        #expect(all["type"] == "memberSupportChatRead", "\(all)")
        #expect(all["member"]?["supportChat"]?["unread"] == 0)
        #expect(try await support()?["memberAttention"] == 0)
        let deleted = try await trio.alice.run("/_delete member chat #1 3")
        #expect(deleted["type"] == "memberSupportChatDeleted" && deleted["member"]?["supportChat"] == nil, "\(deleted)")
        #expect(try await trio.alice.run("/_get chat #1(_support:3) count=10").itemTexts == [])
        #expect(
            try await trio.alice.run("/_delete member chat #1 2")["errorType"]?["message"]
                == "this member has not written to the moderators"
        )
        // The events about the messages are deleted as well.
        let journal = try await trio.alice.controller.journal.readEntries(after: 0, limit: 10_000).map {
            String(decoding: $0.eventJSON, as: UTF8.self)
        }
        #expect(!journal.contains { $0.contains(#""three""#) })
        await trio.close()
    }

    @Test
    func `A report reaches the moderators with the reported message, and is closed when the message is moderated`()
        async throws
    {
        let trio = try await Trio(roles: Self.roles)
        try await trio.bob.sendToGroup("spam", to: 1)
        for core in [trio.alice, trio.carol] { try await core.waitForGroupText("spam") }
        let item = try #require(try await trio.carol.groupItem("spam")?["meta"]?["itemId"]?.integerValue)
        #expect(try await trio.carol.run("/report #team @alice spam spam")["storeError"] != nil)
        let reported = try await trio.carol.run("/_report #1 \(item) reason=spam not nice")
        #expect(reported["type"] == "newChatItems", "\(reported)")
        let received = try await trio.alice.waitForScopedText("report spam: not nice")
        let quote = received["chatItem"]?["quotedItem"]
        #expect(quote?["content"]?["text"] == "spam" && quote?["chatDir"]?["groupMember"]?["localDisplayName"] == "bob")
        #expect(received["chatItem"]?["meta"]?["itemStatus"]?["type"] == "rcvRead")
        let list = try await trio.alice.run("/_get chats 1 pcc=off")["chats"]?.arrayValue?.first {
            $0["chatInfo"]?["type"] == "group"
        }
        #expect(list?["chatStats"]?["reportsCount"] == 1)
        #expect(try await trio.alice.run("/_get chat #1 initial=10")["chat"]?["chatStats"]?["reportsCount"] == 1)
        let chats = try await trio.alice.run("/member support chats #team")
        #expect(chats["members"]?.arrayValue?.map { $0["localDisplayName"] } == ["carol"], "\(chats)")
        let reports = try await trio.alice.run("/_get chat #1 content=report count=10")
        #expect(reports.itemTexts == ["report spam: not nice"])
        #expect(reports["chat"]?["chatItems"]?.arrayValue?.first?["quotedItem"]?["itemId"] != nil, "\(reports)")
        try await trio.bob.waitForScopedText("report spam: not nice")
        let moderated = try #require(try await trio.alice.groupItem("spam")?["meta"]?["itemId"]?.integerValue)
        _ = try await trio.alice.run("/_delete member item #1 \(moderated)")
        let own = try await trio.alice.wait(for: "groupChatItemsDeleted")[0]
        #expect(own["byUser"] == true)
        let told = try await trio.bob.wait(for: "groupChatItemsDeleted")[0]
        #expect(told["byUser"] == false && told["member_"]?["localDisplayName"] == "alice", "\(told)")
        await trio.close()
    }

    @Test
    func `A moderator can delete one report or archive all reports, but these commands refuse items of other kinds`()
        async throws
    {
        let trio = try await Trio(roles: Self.roles)
        try await trio.alice.sendToGroup("one", to: 1)
        try await trio.alice.sendToGroup("two", to: 1)
        for text in ["one", "two"] { try await trio.carol.waitForGroupText(text) }
        for text in ["one", "two"] {
            let item = try #require(try await trio.carol.groupItem(text)?["meta"]?["itemId"]?.integerValue)
            _ = try await trio.carol.run("/_report #1 \(item) reason=other \(text)")
            for core in [trio.alice, trio.bob] { try await core.waitForScopedText("report other: \(text)") }
        }
        let report = try #require(
            try await trio.bob.waitForScopedText("report other: one")["chatItem"]?["meta"]?["itemId"]?.integerValue
        )
        let message = try #require(try await trio.bob.groupItem("one")?["meta"]?["itemId"]?.integerValue)
        #expect(
            try await trio.bob.run("/_delete reports #1 \(message) internal")["errorType"]?["message"]
                == "not all of the items are reports that you received"
        )
        let deleted = try await trio.bob.run("/_delete reports #1 \(report) broadcast")
        #expect(deleted["chatItemDeletions"]?.arrayValue?.count == 1, "\(deleted)")
        let event = try await trio.alice.wait(for: "chatItemsDeleted")[0]
        #expect(
            event["chatItemDeletions"]?.arrayValue?.first?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]?["type"]
                == "moderated",
            "\(event)"
        )
        let archived = try await trio.alice.run("/_archive reports #1")
        #expect(
            archived["type"] == "groupChatItemsDeleted" && archived["chatItemIDs"]?.arrayValue?.count == 1,
            "\(archived)"
        )
        let list = try await trio.alice.run("/_get chats 1 pcc=off")["chats"]?.arrayValue?.first {
            $0["chatInfo"]?["type"] == "group"
        }
        #expect(list?["chatStats"]?["reportsCount"] == 0)
        await trio.close()
    }

    @Test
    func `A member can write neither into another member's support chat nor into the chat of an unknown member`()
        async throws
    {
        let trio = try await Trio(roles: (bob: "member", carol: "member"))
        let bob = try await trio.carol.memberID("bob")
        func message(_ text: String, _ scope: String) -> (String, String) {
            ("x.msg.new", #"{"content":{"type":"text","text":"\#(text)"},"scope":\#(scope)}"#)
        }
        try await trio.carol.sendToMembers([
            message("forged", #"{"type":"member","memberId":"\#(bob)"}"#),
            message("nobody's", #"{"type":"member","memberId":"bm9ib2R5"}"#),
            message("no scope", #"{"type":"member"}"#), message("another scope", #"{"type":"planet"}"#),
            (
                "x.msg.react",
                #"{"msgId":"CQgHBg","memberId":"\#(bob)","scope":{"type":"member","memberId":"\#(bob)"},"reaction":{"type":"emoji","emoji":"👍"},"add":true}"#
            ),
            (
                "x.msg.update",
                #"{"msgId":"CQgHBg","content":{"type":"text","text":"forged"},"scope":{"type":"member","memberId":"\#(bob)"}}"#
            ),
        ])
        try await trio.carol.sendToGroup("the end", to: 1)
        for core in [trio.alice, trio.bob] {
            try await core.waitForGroupText("the end")
            let items = try await core.run("/_get items count=100")["chatItems"]?.arrayValue ?? []
            let texts = items.compactMap { $0["chatItem"]?["meta"]?["itemText"]?.stringValue }
            for text in ["forged", "nobody's", "no scope", "another scope"] { #expect(!texts.contains(text)) }
        }
        #expect(
            try await trio.carol.sendText("not for me to say", in: "#1(_support:3)")["errorType"]?["type"]
                == "groupUserRole"
        )
        #expect(
            try await trio.carol.sendText("to nobody", in: "#1(_support:77)")["storeError"]?["type"]
                == "groupMemberNotFound"
        )
        await trio.close()
    }

    @Test
    func `If a group has switched reports off, a report that a member sends to the whole group is shown as prohibited`()
        async throws
    {
        let trio = try await Trio(
            roles: Self.roles,
            profile: #"{"displayName":"team","fullName":"","groupPreferences":{"reports":{"enable":"off"}}}"#
        )
        try await trio.carol.sendToMembers([
            ("x.msg.new", #"{"content":{"type":"report","text":"forged","reason":"spam"}}"#)
        ])
        try await trio.alice.waitForScopedText("Member reports: received, prohibited")
        #expect(try await trio.alice.run("/_get chat #1 content=report count=10").itemTexts == [])
        await trio.close()
    }
}

extension Core {
    func sendText(_ text: String, in chat: String) async throws -> JSONValue {
        try await run(
            #"/_send \#(chat) live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
        )
    }

    func memberNumber(_ name: String) async throws -> Int64 {
        let members = try await run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        return try #require(
            members.first { $0["localDisplayName"]?.stringValue == name }?["groupMemberId"]?.integerValue,
            "\(members)"
        )
    }

    /// Waits for the event of an item with this text in a support chat.
    @discardableResult
    func waitForScopedText(_ text: String) async throws -> JSONValue {
        var count = 1
        while true {
            let events = try await wait(for: "newChatItems", count: count)
            let items = events.flatMap { $0["chatItems"]?.arrayValue ?? [] }
            let found = items.first {
                $0["chatItem"]?["meta"]?["itemText"]?.stringValue == text && $0["chatInfo"]?["groupChatScope"] != nil
            }
            if let found { return found }
            count = events.count + 1
        }
    }
}
