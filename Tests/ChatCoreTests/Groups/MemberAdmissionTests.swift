import JSON
import TestSupport
import Testing

@testable import ChatCore

/// A group that reviews members who join by its link. Alice is the owner, Bob a moderator, Carol a member, and Dan
/// joins.
@Suite(.socketTimeLimit) struct MemberAdmissionTests {
    private struct People {
        let trio: Trio
        let dan: Core
        let alice: Core
        let bob: Core
        let carol: Core

        init() async throws {
            trio = try await Trio(
                roles: ("moderator", "member"),
                profile:
                    #"{"displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"on"}},"memberAdmission":{"review":"all"}}"#
            )
            (alice, bob, carol) = (trio.alice, trio.bob, trio.carol)
            dan = try await trio.world.core("dan")
            try await dan.createUser("dan")
            try await carol.sendToGroup("before", to: 1)
            try await alice.waitForGroupText("before")
            let link = try await alice.createGroupLink()
            try await dan.run("/_connect 1 incognito=off \(link.full)")
            // The new member and the moderators know each other.
            try await dan.wait(for: "connectedToGroupMember")
            try await bob.wait(for: "connectedToGroupMember", count: 2)
        }

        func close() async {
            await trio.close()
            await dan.controller.close()
        }
    }

    private func findMember(_ name: String, _ core: Core) async throws -> JSONValue? {
        try await core.run("/_members #1")["group"]?["members"]?.arrayValue?.first {
            $0["localDisplayName"]?.stringValue == name
        }
    }

    private func sendInScope(_ text: String, in scope: String, _ core: Core) async throws {
        let sent = try await core.run(
            #"/_send #1(\#(scope)) live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
        )
        try #require(sent["type"] == "newChatItems", "\(sent)")
    }

    @Test
    func `A member under review can write only to the moderators, and becomes a normal member after admission`()
        async throws
    {
        let people = try await People()
        let (alice, bob, carol, dan) = (people.alice, people.bob, people.carol, people.dan)
        #expect(try await dan.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "pending_review")
        for core in [alice, bob] { #expect(try await findMember("dan", core)?["memberStatus"] == "pending_review") }
        #expect(try await findMember("dan", carol) == nil)
        #expect(try await findMember("carol", dan) == nil)
        #expect(try await alice.run("/_info #1")["groupInfo"]?["membersRequireAttention"] == 1)
        try await sendInScope("let me in", in: "_support", dan)
        for core in [alice, bob] { try await core.waitForGroupText("let me in") }
        let id = try #require(try await findMember("dan", alice)?["groupMemberId"]?.integerValue)
        try await sendInScope("a moment", in: "_support:\(id)", alice)
        try await dan.waitForGroupText("a moment")
        try await carol.sendToGroup("between members", to: 1)
        try await bob.waitForGroupText("between members")
        #expect(try await carol.run("/_accept member #1 2 member").errorType == "groupUserRole")
        let accepted = try await alice.run("/_accept member #1 \(id) member")
        #expect(
            accepted["type"] == "memberAccepted" && accepted["member"]?["memberStatus"] == "connected",
            "\(accepted)"
        )
        #expect(
            try await dan.wait(for: "userJoinedGroup", count: 2)[1]["groupInfo"]?["membership"]?["memberStatus"]
                == "connected"
        )
        #expect(try await bob.wait(for: "memberAcceptedByOther")[0]["member"]?["memberStatus"] == "connected")
        try await carol.wait(for: "connectedToGroupMember", count: 2)
        try await dan.wait(for: "connectedToGroupMember", count: 2)
        try await dan.sendToGroup("thank you", to: 1)
        for core in [alice, bob, carol] { try await core.waitForGroupText("thank you") }
        for text in ["before", "between members"] { try await dan.waitForGroupText(text) }
        let texts = try await alice.run("/_get chat #1 count=100").itemTexts
        #expect(!texts.contains("let me in") && !texts.contains("a moment"))
        #expect(try await alice.run("/_info #1")["groupInfo"]?["groupSummary"]?["currentMembers"] == 4)
        await people.close()
    }

    @Test
    func `A moderator other than the host can admit a member, and the host introduces the member to the group`()
        async throws
    {
        let people = try await People()
        let id = try #require(try await findMember("dan", people.bob)?["groupMemberId"]?.integerValue)
        #expect(try await people.bob.run("/_accept member #1 \(id) member")["type"] == "memberAccepted")
        try await people.dan.wait(for: "userJoinedGroup", count: 2)
        try await people.carol.wait(for: "connectedToGroupMember", count: 2)
        try await people.dan.wait(for: "connectedToGroupMember", count: 2)
        try await people.carol.sendToGroup("welcome", to: 1)
        try await people.dan.waitForGroupText("welcome")
        await people.close()
    }

    @Test
    func `The removal of a member under review is reported to the member and to moderators, not to other members`()
        async throws
    {
        let people = try await People()
        let id = try #require(try await findMember("dan", people.alice)?["groupMemberId"]?.integerValue)
        #expect(try await people.alice.run("/_remove #1 \(id)")["type"] == "userDeletedMembers")
        try await people.dan.wait(for: "deletedMemberUser")
        try await people.bob.wait(for: "deletedMember")
        try await people.alice.sendToGroup("the end", to: 1)
        try await people.carol.waitForGroupText("the end")
        #expect(try await !people.carol.events().contains { $0.event["type"] == "messageError" })
        await people.close()
    }

    @Test
    func `An acceptance of a member that its sender may not give changes no member's status or role`() async throws {
        let people = try await People()
        let dan = try await people.alice.memberID("dan")
        let bob = try await people.carol.memberID("bob")
        func acceptance(of id: String, _ role: String) -> (String, String) {
            ("x.grp.link.acpt", #"{"acceptance":"accepted","role":"\#(role)","memberId":"\#(id)"}"#)
        }
        try await people.carol.sendToMembers([
            acceptance(of: dan, "member"), acceptance(of: bob, "observer"), acceptance(of: "bm9ib2R5", "member"),
        ])
        try await people.dan.sendToMembers([
            acceptance(of: dan, "owner"), ("x.grp.link.acpt", "{}"),
            ("x.grp.link.acpt", #"{"acceptance":"x","role":"member","memberId":"AA"}"#),
        ])
        // A moderator can neither give a role above its own nor change members who are already admitted.
        let carol = try await people.bob.memberID("carol")
        try await people.bob.sendToMembers([
            acceptance(of: dan, "owner"), acceptance(of: carol, "moderator"), acceptance(of: bob, "member"),
        ])
        try await people.carol.sendToGroup("the end of carol", to: 1)
        try await people.bob.sendToGroup("the end of bob", to: 1)
        try await people.alice.waitForGroupText("the end of carol")
        try await people.alice.waitForGroupText("the end of bob")
        try await sendInScope("still here", in: "_support", people.dan)
        try await people.alice.waitForGroupText("still here")
        #expect(try await findMember("dan", people.alice)?["memberStatus"] == "pending_review")
        #expect(try await findMember("carol", people.alice)?["memberRole"] == "member")
        #expect(try await people.dan.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "pending_review")
        await people.close()
    }
}
