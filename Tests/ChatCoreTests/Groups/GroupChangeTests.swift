import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Changes of members in a group, as other members see them.
@Suite(.socketTimeLimit) struct GroupChangeTests {
    @Test
    func `A member's changed role is reported to all members, and immediately determines what the member may do`()
        async throws
    {
        let trio = try await Trio(roles: (bob: "member", carol: "observer"))
        let refused = try await trio.carol.sendToGroup("not allowed", to: 1)
        #expect(refused["errorType"]?["type"] == "groupUserRole")
        #expect(try await trio.bob.run("/_member role #1 1 member").errorType == "groupUserRole")
        let changed = try await trio.alice.run("/_member role #1 3 member")
        #expect(changed["members"]?[0]?["memberRole"] == "member", "\(changed)")
        let told = try await trio.carol.wait(for: "memberRole")[0]
        #expect(told["fromRole"] == "observer" && told["toRole"] == "member")
        try await trio.carol.sendToGroup("allowed", to: 1)
        try await trio.bob.waitForGroupText("allowed")
        #expect(try await trio.bob.wait(for: "memberRole")[0]["member"]?["localDisplayName"] == "carol")
        try await trio.alice.run("/_member role #1 2 admin")
        try await trio.bob.wait(for: "memberRole", count: 2)
        #expect(try await trio.bob.run("/_member role #1 3 observer")["members"]?.arrayValue?.count == 1)
        try await trio.alice.wait(for: "memberRole")
        await trio.close()
    }

    @Test
    func `A removed member cannot write, and the member's messages are deleted if the removal requests this`()
        async throws
    {
        let trio = try await Trio()
        try await trio.carol.sendToGroup("of carol", to: 1)
        try await trio.bob.waitForGroupText("of carol")
        try await trio.alice.waitForGroupText("of carol")
        let removed = try await trio.alice.run("/_remove #1 3 messages=on")
        #expect(removed["members"]?[0]?["memberStatus"] == "removed", "\(removed)")
        #expect(removed["groupInfo"]?["groupSummary"]?["currentMembers"] == 2)
        try await trio.carol.wait(for: "deletedMemberUser")
        try await trio.bob.wait(for: "deletedMember")
        #expect(try await trio.carol.sendToGroup("after", to: 1).errorType == "commandError")
        for core in [trio.alice, trio.bob] {
            let items = try await core.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
            let item = try #require(items.first { $0["meta"]?["itemText"] == "of carol" })
            #expect(item["meta"]?["itemDeleted"] != nil)
        }
        try await trio.bob.sendToGroup("between us", to: 1)
        try await trio.alice.waitForGroupText("between us")
        await trio.close()
    }

    @Test
    func `In a group with full deletion, removing a member with messages also deletes messages marked as deleted`()
        async throws
    {
        let trio = try await Trio()
        try await trio.carol.sendToGroup("of carol", to: 1)
        try await trio.bob.waitForGroupText("of carol")
        try await trio.alice.waitForGroupText("of carol")
        let item = try #require(try await trio.carol.groupItem("of carol")?["meta"]?["itemId"]?.integerValue)
        try await trio.carol.run("/_delete item #1 \(item) broadcast")
        let cores = [trio.alice, trio.bob, trio.carol]
        for core in [trio.alice, trio.bob] { try await core.wait(for: "chatItemsDeleted") }
        for core in cores {
            #expect(try await core.groupItem("of carol")?["meta"]?["itemDeleted"]?["type"] == "deleted")
        }
        let profile = #"{"displayName":"team","fullName":"","groupPreferences":{"fullDelete":{"enable":"on"}}}"#
        try await trio.alice.run("/_group_profile #1 \(profile)")
        for core in [trio.bob, trio.carol] { try await core.wait(for: "groupUpdated") }
        try await trio.alice.run("/_remove #1 3 messages=on")
        try await trio.carol.wait(for: "deletedMemberUser")
        try await trio.bob.wait(for: "deletedMember")
        for core in cores { #expect(try await core.groupItem("of carol") == nil) }
        await trio.close()
    }

    @Test
    func `The other members of a group get an event when a member leaves or the owner deletes the group`() async throws
    {
        let trio = try await Trio()
        #expect(try await trio.bob.run("/_leave #1")["type"] == "leftMemberUser")
        for core in [trio.alice, trio.carol] {
            #expect(try await core.wait(for: "leftMember")[0]["member"]?["memberStatus"] == "left")
        }
        #expect(try await trio.alice.run("/_info #1")["groupInfo"]?["groupSummary"]?["currentMembers"] == 2)
        #expect(try await trio.carol.run("/_delete #1 full notify=on").errorType == "groupUserRole")
        #expect(try await trio.alice.run("/_delete #1 full notify=on")["type"] == "groupDeletedUser")
        let told = try await trio.carol.wait(for: "groupDeleted")[0]
        #expect(told["groupInfo"]?["membership"]?["memberStatus"] == "deleted")
        #expect(try await trio.carol.sendToGroup("to nobody", to: 1).errorType == "commandError")
        for core in [trio.bob, trio.carol] {
            #expect(try await core.run("/_delete #1 full notify=on")["type"] == "groupDeletedUser")
        }
        await trio.close()
    }

    @Test
    func `A changed group profile reaches all members, and its preferences apply immediately`() async throws {
        let trio = try await Trio()
        let profile =
            #"{"displayName":"crew","fullName":"","groupPreferences":{"reactions":{"enable":"off"},"voice":{"enable":"off"}}}"#
        #expect(try await trio.bob.run("/_group_profile #1 \(profile)").errorType == "groupUserRole")
        #expect(try await trio.alice.run("/_group_profile #1 \(profile)")["type"] == "groupUpdated")
        for core in [trio.bob, trio.carol] {
            #expect(try await core.wait(for: "groupUpdated")[0]["toGroup"]?["localDisplayName"] == "crew")
        }
        let sent = try await trio.bob.sendToGroup("to react to", to: 1)
        let item = try await trio.carol.waitForGroupText("to react to")["meta"]?["itemId"]?.integerValue ?? 0
        #expect(
            try await trio.carol.run(#"/_reaction #1 \#(item) on {"type":"emoji","emoji":"👍"}"#).errorType
                == "commandError"
        )
        #expect(sent["type"] == "newChatItems")
        await trio.close()
    }

    @Test
    func `In a group with full deletion, messages of a member who is blocked for all are not stored`() async throws {
        let trio = try await Trio(
            profile: #"{"displayName":"team","fullName":"","groupPreferences":{"fullDelete":{"enable":"on"}}}"#
        )
        #expect(try await trio.alice.run("/_block #1 3 blocked=on")["members"]?[0]?["blockedByAdmin"] == true)
        #expect(try await trio.bob.wait(for: "memberBlockedForAll")[0]["member"]?["localDisplayName"] == "carol")
        try await trio.carol.sendToGroup("unseen", to: 1)
        try await trio.bob.waitForGroupText("blocked")
        try await trio.alice.waitForGroupText("blocked")
        try await trio.alice.run("/_block #1 3 blocked=off")
        try await trio.bob.wait(for: "memberBlockedForAll", count: 2)
        try await trio.carol.sendToGroup("seen", to: 1)
        try await trio.bob.waitForGroupText("seen")
        let texts = try await trio.bob.run("/_get chat #1 count=100").itemTexts
        #expect(!texts.contains("unseen"))
        await trio.close()
    }

    @Test
    func `Reactions to a group message are counted, and the members who reacted are listed`() async throws {
        let trio = try await Trio()
        try await trio.alice.sendToGroup("what do you think", to: 1)
        for core in [trio.bob, trio.carol] {
            let item = try await core.waitForGroupText("what do you think")["meta"]?["itemId"]?.integerValue ?? 0
            let answer = try await core.run(#"/_reaction #1 \#(item) on {"type":"emoji","emoji":"👍"}"#)
            #expect(answer["type"] == "chatItemReaction", "\(answer)")
        }
        try await trio.alice.wait(for: "chatItemReaction", count: 2)
        try await trio.bob.wait(for: "chatItemReaction")
        let items = try await trio.alice.run("/_get chat #1 count=1")
        let item = try #require(items["chat"]?["chatItems"]?[0])
        #expect(item["reactions"]?[0]?["totalReacted"] == 2)
        let id = try #require(item["meta"]?["itemId"]?.integerValue)
        let members =
            try await trio.alice.run(#"/_reaction members 1 #1 \#(id) {"type":"emoji","emoji":"👍"}"#)[
                "memberReactions"
            ]?.arrayValue ?? []
        #expect(Set(members.compactMap { $0["groupMember"]?["localDisplayName"]?.stringValue }) == ["bob", "carol"])
        let mine = try await trio.carol.waitForGroupText("what do you think")["meta"]?["itemId"]?.integerValue ?? 0
        try await trio.carol.run(
            #"/_send #1 live=off ttl=default json [{"msgContent":{"type":"text","text":"a lot"},"quotedItemId":\#(mine),"mentions":{}}]"#
        )
        #expect(try await trio.alice.waitForGroupText("a lot")["quotedItem"]?["chatDir"] == ["type": "groupSnd"])
        #expect(
            try await trio.bob.waitForGroupText("a lot")["quotedItem"]?["chatDir"]?["groupMember"]?["localDisplayName"]
                == "alice"
        )
        await trio.close()
    }

    @Test
    func `Only a moderator can delete another member's message for all members`() async throws {
        let trio = try await Trio()
        try await trio.carol.sendToGroup("to be moderated", to: 1)
        let atBob = try await trio.bob.waitForGroupText("to be moderated")["meta"]?["itemId"]?.integerValue ?? 0
        let atAlice = try await trio.alice.waitForGroupText("to be moderated")["meta"]?["itemId"]?.integerValue ?? 0
        #expect(try await trio.bob.run("/_delete member item #1 \(atBob)").errorType == "groupUserRole")
        #expect(try await trio.alice.run("/_delete member item #1 \(atAlice)")["type"] == "chatItemsDeleted")
        try await trio.bob.wait(for: "chatItemsDeleted")
        try await trio.carol.wait(for: "chatItemsDeleted")
        await trio.close()
    }

    @Test
    func `A new member of a group with history gets the last messages and the description once`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.createGroup(
            #"{"displayName":"team","fullName":"","description":"Welcome","groupPreferences":{"history":{"enable":"on"}}}"#
        )
        for text in ["first", "second", "third"] { try await alice.sendToGroup(text, to: 1) }
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.run("/_join #1")
        try await bob.waitForGroupText("Welcome")
        let texts = try await bob.run("/_get chat #1 count=100").itemTexts
        #expect(
            texts.filter { ["first", "second", "third", "Welcome"].contains($0) } == [
                "first", "second", "third", "Welcome",
            ]
        )
        #expect(try await bob.waitForGroupText("first")["chatDir"]?["groupMember"]?["localDisplayName"] == "alice")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A mention of a member is counted for this member, and a wrong mention is refused`() async throws {
        let trio = try await Trio()
        func mention(_ text: String, _ mentions: String) async throws -> JSONValue {
            try await trio.alice.run(
                #"/_send #1 live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":\#(mentions)}]"#
            )
        }
        let sent = try await mention("@bob and @carol, look", #"{"bob":2,"carol":3}"#)
        #expect(sent["chatItems"]?[0]?["chatItem"]?["mentions"]?["bob"]?["memberRef"]?["groupMemberId"] == 2, "\(sent)")
        for core in [trio.bob, trio.carol] {
            let item = try await core.waitForGroupText("@bob and @carol, look")
            #expect(item["meta"]?["userMention"] == true)
            #expect(item["mentions"]?["bob"]?["memberRef"]?["displayName"] == "bob")
            let chats = try await core.run("/_get chats 1 pcc=off")["chats"]?.arrayValue ?? []
            #expect(chats.first { $0["chatInfo"]?["type"] == "group" }?["chatStats"]?["unreadMentions"] == 1)
        }
        #expect(try await mention("@nobody", #"{"nobody":99}"#).errorType == "groupMemberNotFound")
        #expect(try await mention("@bob", #"{"carol":3}"#).errorType == "invalidMention")
        #expect(try await mention("@bob @carol", #"{"bob":2,"carol":2}"#).errorType == "invalidMention")
        try await trio.alice.sendToGroup("without", to: 1)
        #expect(try await trio.bob.waitForGroupText("without")["meta"]?["userMention"] == false)
        await trio.close()
    }

    @Test
    func `Members of a group can compare security codes, change queues and renegotiate ratchets`() async throws {
        let trio = try await Trio()
        let code = try #require(try await trio.bob.run("/_get code #1 3")["connectionCode"]?.stringValue)
        #expect(try await trio.carol.run("/_get code #1 3")["connectionCode"]?.stringValue == code)
        #expect(try await trio.bob.run("/_verify code #1 3 \(code)")["verified"] == true)
        #expect(try await trio.bob.run("/_verify code #1 3 12345")["verified"] == false)
        #expect(try await trio.bob.run("/_switch #1 3")["type"] == "groupMemberSwitchStarted")
        try await trio.bob.wait(for: "groupMemberSwitch", count: 4)
        try await trio.carol.wait(for: "groupMemberSwitch", count: 2)
        try await trio.carol.sendToGroup("after the change", to: 1)
        try await trio.bob.waitForGroupText("after the change")
        #expect(try await trio.bob.run("/_sync #1 3 force=on")["type"] == "groupMemberRatchetSyncStarted")
        // The new ratchet is agreed and then used. Nothing can be sent before that.
        for core in [trio.bob, trio.carol] {
            let told = try await core.wait(for: "groupMemberRatchetSync", count: 2)
            #expect(told.last?["ratchetSyncProgress"]?["ratchetSyncStatus"] == "ok")
        }
        try await trio.carol.sendToGroup("synchronized", to: 1)
        try await trio.bob.waitForGroupText("synchronized")
        #expect(try await trio.bob.run("/_queue info #1 3")["type"] == "queueInfo")
        #expect(try await trio.bob.run("/_get code #1 99").errorType == "groupMemberNotFound")
        await trio.close()
    }
}

/// Members who become contacts of each other.
@Suite(.socketTimeLimit) struct MemberContactTests {
    private static let profileJSON =
        #"{"displayName":"team","fullName":"","groupPreferences":{"directMessages":{"enable":"on"}}}"#

    @Test
    func `If a group member accepts the direct message of another member, the two members become contacts`()
        async throws
    {
        let trio = try await Trio(profile: Self.profileJSON)
        let created = try await trio.bob.run("/_create member contact #1 3")
        let contact = try #require(created["contact"]?["contactId"]?.integerValue, "\(created)")
        #expect(try await trio.bob.run("/_create member contact #1 3").errorType == "commandError")
        let invited = try await trio.bob.run(
            #"/_invite member contact @\#(contact) json {"type":"text","text":"hi carol, directly"}"#
        )
        #expect(invited["contact"]?["contactGrpInvSent"] == true, "\(invited)")
        let told = try await trio.carol.wait(for: "newMemberContactReceivedInv")[0]
        let own = try #require(told["contact"]?["contactId"]?.integerValue)
        let accepted = try await trio.carol.run("/_accept member contact @\(own)")
        #expect(accepted["type"] == "memberContactAccepted", "\(accepted)")
        // The second event is about the new contact. The first event was about Alice.
        for core in [trio.bob, trio.carol] { try await core.wait(for: "contactConnected", count: 2) }
        try await trio.carol.run("/_send @\(own) text between us two")
        try await waitForText("between us two", trio.bob)
        #expect(try await trio.carol.run("/_get chat @\(own) count=20").itemTexts.contains("hi carol, directly"))
        try await trio.carol.sendToGroup("to all", to: 1)
        try await trio.bob.waitForGroupText("to all")
        await trio.close()
    }

    @Test
    func `If a user accepts all contact invitations of members, each invitation is accepted without a command`()
        async throws
    {
        let trio = try await Trio(profile: Self.profileJSON)
        try await trio.carol.run("/_set accept member contacts 1 on")
        let contact = try await trio.bob.run("/_create member contact #1 3")["contact"]?["contactId"]?.integerValue ?? 0
        try await trio.bob.run("/_invite member contact @\(contact)")
        for core in [trio.bob, trio.carol] { try await core.wait(for: "contactConnected", count: 2) }
        try await trio.alice.run(
            #"/_group_profile #1 {"displayName":"team","fullName":"","groupPreferences":{"directMessages":{"enable":"off"}}}"#
        )
        try await trio.carol.wait(for: "groupUpdated")
        #expect(try await trio.carol.run("/_create member contact #1 1").errorType == "commandError")
        await trio.close()
    }
}
