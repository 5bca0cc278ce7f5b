import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Quotes of members, and links that members may not send.
@Suite(.socketTimeLimit) struct GroupQuoteTests {
    @Test
    func `A quote leads to the message of the member that it names, even if another member used the same message id`()
        async throws
    {
        let trio = try await Trio()
        let bob = try await trio.carol.memberID("bob")
        // Carol first sends a message with the id of Bob's later message.
        try await trio.carol.sendToMembers(
            [("x.msg.new", #"{"content":{"type":"text","text":"of carol"}}"#)],
            id: "CQgHBg"
        )
        try await trio.alice.waitForGroupText("of carol")
        try await trio.bob.sendToMembers([("x.msg.new", #"{"content":{"type":"text","text":"of bob"}}"#)], id: "CQgHBg")
        let quoted = try await trio.alice.waitForGroupText("of bob")
        try await trio.carol.sendToMembers([
            (
                "x.msg.new",
                #"{"content":{"type":"text","text":"answer"},"quote":{"msgRef":{"msgId":"CQgHBg","sentAt":"2026-01-01T00:00:00Z","sent":false,"memberId":"\#(bob)"},"content":{"type":"text","text":"of bob"}}}"#
            )
        ])
        let told = try await trio.alice.waitForGroupText("answer")
        #expect(told["quotedItem"]?["itemId"] == quoted["meta"]?["itemId"])
        _ = try await trio.bob.run(#"/_profile 1 {"displayName":"robert","fullName":""}"#)
        try await trio.bob.sendToGroup("it is me", to: 1)
        try await trio.alice.waitForGroupText("it is me")
        let read = try #require(try await trio.alice.groupItem("answer"))
        #expect(read["quotedItem"]?["itemId"] == quoted["meta"]?["itemId"])
        #expect(read["quotedItem"]?["chatDir"]?["groupMember"]?["localDisplayName"] == "robert")
        #expect(read["quotedItem"]?["content"]?["text"] == "of bob")
        // The stored quote contains the name of the member, and not the whole profile.
        let stored = try await trio.alice.controller.store.read { db in
            try db.firstRow("SELECT quoted_item FROM chat_items WHERE item_text = 'answer'")?.string(0)
        }
        #expect(try #require(stored).contains("bob") && !(stored ?? "").contains("memberProfile"))
        // The user answers a member, and a member answers the user.
        let own = try await trio.alice.run(
            #"/_send #1 json [{"quotedItemId":\#(quoted["meta"]?["itemId"]?.integerValue ?? 0),"msgContent":{"type":"text","text":"own answer"},"mentions":{}}]"#
        )
        #expect(own["chatItems"]?[0]?["chatItem"]?["quotedItem"]?["itemId"] == quoted["meta"]?["itemId"], "\(own)")
        let received = try await trio.bob.waitForGroupText("own answer")
        #expect(received["quotedItem"]?["chatDir"]?["type"] == "groupSnd")
        await trio.close()
    }

    @Test
    func `A message with a link that is split by spaces is refused if members may not send links`() async throws {
        let trio = try await Trio(
            profile:
                #"{"displayName":"team","fullName":"","groupPreferences":{"simplexLinks":{"enable":"on","role":"owner"}}}"#
        )
        let invitation = try await trio.bob.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        let short = "see https://smp.example.com / a#AAECAwQFBgcICQoL DA0ODxAREhMUFRYXGBkaGxwdHh8"
        let full = "see " + link.replacing("#", with: " #").replacing("&", with: "& ")
        for text in [short, full] {
            let answer = try await trio.bob.sendToGroup(text, to: 1)
            #expect(answer["type"] != "newChatItems", "\(answer)")
            try await trio.bob.sendToMembers([("x.msg.new", #"{"content":{"type":"text","text":"\#(text)"}}"#)])
        }
        // The beginning of a link is not a link, so the text is accepted.
        let cut = "see simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F"
        try await trio.bob.sendToGroup(cut, to: 1)
        try await trio.alice.waitForGroupText(cut)
        let texts = try await trio.alice.run("/_get chat #1 count=100").itemTexts
        #expect(!texts.contains(short) && !texts.contains(full))
        await trio.close()
    }
}
