import JSON
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

/// Groups whose chats are opened from their links before the user joins.
@Suite(.socketTimeLimit) struct PreparedGroupTests {
    private static let profileJSON =
        #"{"displayName":"team","fullName":"","description":"welcome","groupPreferences":{"history":{"enable":"on"}}}"#

    private func makeWorldWithGroupLink() async throws -> (World, alice: Core, bob: Core, full: String, short: String) {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        try await alice.createGroup(Self.profileJSON)
        let link = try await alice.createGroupLink()
        return (world, alice, bob, link.full, link.short)
    }

    @Test
    func `A prepared group is joined only by a connect command, also if the core restarts before the command`()
        async throws
    {
        let (world, alice, bob, full, short) = try await makeWorldWithGroupLink()
        let plan = try await bob.run("/_connect plan 1 \(short)").groupPlan
        let data = try #require(plan["groupSLinkData_"]).text
        let chat = try await bob.run("/_prepare group 1 \(full) \(short) direct=on \(data)")["chat"]
        #expect(chat?["chatInfo"]?["groupInfo"]?["membership"]?["memberStatus"] == "unknown", "\(chat ?? .null)")
        #expect(
            chat?["chatItems"]?[0]?["meta"]?["showGroupAsSender"] == true && chat?["chatStats"]?["unreadCount"] == 1
        )
        #expect(try await bob.run("/_connect plan 1 \(short)").groupPlan["type"] == "known")
        #expect(try await bob.sendToGroup("not yet", to: 1)["errorType"] != nil)
        let refused = try await bob.run(#"/_connect group #1 incognito=off json {"type":"text","text":"hello"}"#)
        #expect(refused["errorType"]?["type"] == "connReqMessageProhibited")
        try await bob.wait(for: "chatInfoUpdated")
        await alice.controller.stop()
        let started = try await bob.run("/_connect group #1 incognito=off")
        #expect(started["type"] == "startedConnectionToGroup", "\(started)")
        #expect(started["groupInfo"]?["preparedGroup"]?["connLinkStartedConnection"] == true)
        await bob.controller.close()
        let again = try await world.core("bob")
        try await alice.controller.start()
        try await again.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")
        try await alice.sendToGroup("to all", to: 1)
        try await again.waitForGroupText("to all")
        let texts = try await again.run("/_get chat #1 count=100").itemTexts
        #expect(texts.count { $0 == "chat banner" } == 1 && texts.count { $0.hasPrefix("Voice messages") } == 1)
        #expect(texts.count { $0 == "welcome" } == 1)
        let host = try await again.run("/_members #1")["group"]?["members"]?[0]
        #expect(host?["localDisplayName"] == "alice" && host?["memberRole"] == "owner")
        for core in [alice, again] { await core.controller.close() }
    }

    @Test
    func `A prepared group can move to another profile only before the join request, and can be joined incognito`()
        async throws
    {
        let (_, alice, bob, full, short) = try await makeWorldWithGroupLink()
        try await bob.createUser("work")
        let data = #"{"groupProfile":\#(Self.profileJSON)}"#
        try await bob.run("/_prepare group 1 \(full) \(short) \(data)", as: 1)
        let changed = try await bob.run("/_set group user #1 2", as: 1)
        #expect(changed["type"] == "groupUserChanged", "\(changed)")
        #expect(changed["toGroup"]?["membership"]?["localDisplayName"] == "work")
        #expect(try await bob.run("/_groups 1", as: 1)["groups"]?.arrayValue?.isEmpty == true)
        let texts = try await bob.run("/_get chat #1 count=100", as: 2).itemTexts
        #expect(texts.contains("welcome") && texts.count == 12, "\(texts)")
        let name = try await bob.run("/_connect group #1 incognito=on", as: 2)["customUserProfile"]?["displayName"]
        #expect(try await bob.run("/_set group user #1 1", as: 2)["errorType"]?["type"] == "commandError")
        #expect(try await alice.wait(for: "joinedGroupMember")[0]["member"]?["localDisplayName"] == name)
        let joined = try await bob.wait(for: "userJoinedGroup", user: 2)[0]
        #expect(joined["groupInfo"]?["membership"]?["memberProfile"]?["displayName"] == name)
        #expect(try await bob.run("/_leave #1", as: 2)["type"] == "leftMemberUser")
        #expect(try await bob.run("/_delete #1", as: 2)["type"] == "groupDeletedUser")
        // Deleting the group does not free the name of the profile that has joined it.
        #expect(
            try await bob.controller.store.read { db in
                try db.firstRow("SELECT 1 FROM display_names WHERE user_id = 2 AND local_display_name = 'work'") != nil
            }
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Only a group link can be prepared as a group, and the command to connect a group needs a prepared group`()
        async throws
    {
        let (_, alice, bob, full, _) = try await makeWorldWithGroupLink()
        let data = #"{"groupProfile":{"displayName":"team","fullName":""}}"#
        let address = try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
        #expect(try await bob.run("/_prepare group 1 \(address) \(data)")["errorType"]?["type"] == "invalidConnReq")
        for command in ["/_connect group #1", "/_set group user #1 1"] {
            #expect(try await alice.run(command)["errorType"]?["type"] == "commandError")
        }
        // The first name has 10,000 characters, and the second name has no valid character.
        for name in [String(repeating: "n", count: 10_000), "@#"] {
            let prepared = try await bob.run(
                #"/_prepare group 1 \#(full) {"groupProfile":{"displayName":"\#(name)","fullName":""}}"#
            )
            #expect(prepared["type"] == "newPreparedChat")
            #expect((prepared["chat"]?["chatInfo"]?["groupInfo"]?["localDisplayName"]?.stringValue?.count ?? 100) <= 60)
        }
        for core in [alice, bob] { await core.controller.close() }
    }
}
