import ChatProtocol
import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Moderation of other members' messages, and its display.
@Suite(.socketTimeLimit) struct GroupModerationTests {
    @Test
    func `A moderated message shows its moderator to all members`() async throws {
        let trio = try await Trio(roles: ("admin", "member"))
        try await trio.carol.sendToGroup("bad", to: 1)
        for core in [trio.alice, trio.bob] { try await core.waitForGroupText("bad") }
        let item = try #require(try await trio.bob.groupItem("bad")?["meta"]?["itemId"]?.integerValue)
        let answer = try await trio.bob.run("/_delete member item #1 \(item)")
        #expect(
            answer["chatItemDeletions"]?.arrayValue?.first?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]?["type"]
                == "moderated",
            "\(answer)"
        )
        for core in [trio.alice, trio.carol] {
            try await core.wait(for: "chatItemsDeleted")
            let deleted = try await core.groupItem("bad")?["meta"]?["itemDeleted"]
            #expect(deleted?["type"] == "moderated")
            #expect(deleted?["byGroupMember"]?["memberProfile"]?["displayName"] == "bob")
        }
        await trio.close()
    }

    @Test
    func `A message that the user moderates shows the user's own contact id as the moderator`() async throws {
        let trio = try await Trio(roles: ("admin", "member"))
        try await trio.carol.sendToGroup("bad", to: 1)
        try await trio.bob.waitForGroupText("bad")
        let item = try #require(try await trio.bob.groupItem("bad")?["meta"]?["itemId"]?.integerValue)
        let answer = try await trio.bob.run("/_delete member item #1 \(item)")
        let contact = try #require(answer["user"]?["userContactId"])
        let now = answer["chatItemDeletions"]?[0]?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]
        #expect(now?["byGroupMember"]?["memberContactId"] == contact, "\(answer)")
        let later = try await trio.bob.groupItem("bad")?["meta"]?["itemDeleted"]
        #expect(later?["byGroupMember"]?["memberContactId"] == contact, "\(String(describing: later))")
        await trio.close()
    }

    @Test
    func `If a moderation arrives before its message, the moderation takes effect only if its sender may moderate`()
        async throws
    {
        let trio = try await Trio(roles: ("member", "member"))
        let carol = try await trio.alice.memberID("carol")
        let alice = try await trio.carol.memberID("alice")
        // Two moderations arrive before their messages: the owner Alice moderates a message of Carol, and Carol
        // moderates one of Alice.
        try await trio.alice.sendToMembers([("x.msg.del", #"{"msgId":"CQgHBg","memberId":"\#(carol)"}"#)])
        try await trio.alice.sendToGroup("moderated", to: 1)
        try await trio.bob.waitForGroupText("moderated")
        try await trio.carol.sendToMembers(
            [("x.msg.new", #"{"content":{"type":"text","text":"too late"}}"#)],
            id: "CQgHBg"
        )
        try await trio.carol.sendToMembers([("x.msg.del", #"{"msgId":"AQIDBQ","memberId":"\#(alice)"}"#)])
        try await trio.carol.sendToGroup("of carol", to: 1)
        try await trio.bob.waitForGroupText("of carol")
        try await trio.alice.sendToMembers(
            [("x.msg.new", #"{"content":{"type":"text","text":"stays"}}"#)],
            id: "AQIDBQ"
        )
        try await trio.bob.waitForGroupText("stays")
        let items = try await trio.bob.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        func deletion(_ text: String) throws -> JSONValue? {
            try #require(items.first { $0["meta"]?["itemText"]?.stringValue == text }, "\(text)")["meta"]?[
                "itemDeleted"
            ]
        }
        let early = try deletion("too late")
        #expect(
            early?["type"] == "moderated" && early?["byGroupMember"]?["localDisplayName"] == "alice",
            "\(String(describing: early))"
        )
        #expect(try deletion("stays") == nil)
        await trio.close()
    }

    @Test
    func `In a group with full deletion, the moderation of a message removes the content of the message`() async throws
    {
        let trio = try await Trio(
            roles: ("admin", "member"),
            profile: #"{"displayName":"team","fullName":"","groupPreferences":{"fullDelete":{"enable":"on"}}}"#
        )
        try await trio.carol.sendToGroup("bad", to: 1)
        try await trio.bob.waitForGroupText("bad")
        let item = try #require(try await trio.bob.groupItem("bad")?["meta"]?["itemId"]?.integerValue)
        _ = try await trio.bob.run("/_delete member item #1 \(item)")
        try await trio.carol.wait(for: "chatItemsDeleted")
        #expect(try await trio.carol.groupItem("bad") == nil)
        #expect(try await trio.carol.groupItem("moderated")?["content"]?["type"] == "sndModerated")
        #expect(try await trio.bob.groupItem("moderated")?["content"]?["type"] == "rcvModerated")
        await trio.close()
    }

    @Test
    func `If a member is blocked for all, messages of the member are hidden, and their texts are kept`() async throws {
        let trio = try await Trio()
        _ = try await trio.alice.run("/_block #1 3 blocked=on")
        try await trio.bob.wait(for: "memberBlockedForAll")
        try await trio.carol.sendToGroup("covered", to: 1)
        for core in [trio.alice, trio.bob] {
            let item = try await core.waitForGroupText("covered")
            #expect(item["meta"]?["itemDeleted"]?["type"] == "blockedByAdmin")
            #expect(item["content"]?["msgContent"]?["text"] == "covered")
        }
        await trio.close()
    }

    @Test
    func `A member's changed profile is sent once, with the member's next message`() async throws {
        let trio = try await Trio()
        _ = try await trio.bob.run(#"/_profile 1 {"displayName":"bob","fullName":"Robert"}"#)
        try await trio.bob.sendToGroup("it is me", to: 1)
        try await trio.carol.waitForGroupText("it is me")
        let updated = try await trio.carol.wait(for: "groupMemberUpdated")
        #expect(updated[0]["toMember"]?["memberProfile"]?["fullName"] == "Robert")
        try await trio.bob.sendToGroup("only once", to: 1)
        try await trio.carol.waitForGroupText("only once")
        #expect(try await trio.carol.events().count { $0.event["type"] == "groupMemberUpdated" } == 1)
        await trio.close()
    }

    @Test
    func `A forwarded group message in the binary format is parsed with its author and its time`() throws {
        let message = Array(#"{"v":"1-19","msgId":"AQID","event":"x.grp.leave","params":{}}"#.utf8)
        let element = Array(">M".utf8) + [2, 7, 8, 3] + Array("bob".utf8) + [0, 0, 0, 0, 0x65, 0, 0, 0] + message
        let body = Array("=".utf8) + [1, UInt8(element.count >> 8), UInt8(element.count & 0xff)] + element
        for bytes in [body, element] {
            let elements = MessageElements.parseAll(of: bytes)
            #expect(elements.count == 1)
            guard case .success(.message(let read))? = elements.first?.content,
                case .group(.forward(let forwarded)) = read.event
            else {
                Issue.record("the elements cannot be read: \(elements)")
                continue
            }
            #expect(forwarded.authorID == MemberID(bytes: [7, 8]))
            #expect(forwarded.authorName == "bob")
            #expect(forwarded.relayReceivedAtText.hasPrefix("2023-09-12T06:06:56"))
            #expect(forwarded.message["event"] == "x.grp.leave")
        }
        // Every shorter element causes an error, and none a crash.
        for length in 1..<element.count {
            guard case .failure? = MessageElements.parseAll(of: Array(element.prefix(length))).first?.content else {
                Issue.record("\(length) bytes were read")
                continue
            }
        }
    }
}

extension Core {
    /// The last item of the first group with the text.
    func groupItem(_ text: String) async throws -> JSONValue? {
        let items = try await run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.last { $0["meta"]?["itemText"]?.stringValue == text }
    }
}
