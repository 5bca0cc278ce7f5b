import JSON
import Testing
import TestSupport

@testable import Agent
@testable import ChatCore

/// Groups whose members each have a separate core.
@Suite(.socketTimeLimit) struct GroupTests {
    @Test
    func `A contact who is invited to a group joins the group and exchanges messages`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.createGroup()
        let invited = try await alice.run("/_add #1 1 member")
        #expect(invited["type"] == "sentGroupInvitation", "\(invited)")
        let told = try await bob.wait(for: "receivedGroupInvitation")[0]
        #expect(told["groupInfo"]?["membership"]?["memberStatus"] == "invited")
        let joined = try await bob.run("/_join #1")
        #expect(joined["type"] == "userAcceptedGroupSent", "\(joined)")
        try await alice.wait(for: "joinedGroupMember")
        try await bob.wait(for: "userJoinedGroup")
        #expect(try await bob.run("/_join #1")["storeError"]?["type"] == "groupAlreadyJoined")
        let sent = try await alice.sendToGroup("hello", to: 1)
        #expect(sent["type"] == "newChatItems", "\(sent)")
        let received = try await bob.waitForGroupText("hello")
        #expect(received["chatDir"]?["groupMember"]?["localDisplayName"] == "alice")
        try await bob.sendToGroup("hello to you", to: 1)
        try await alice.waitForGroupText("hello to you")
        try await alice.waitForStatus("sndRcvd", of: ["hello"])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If a user accepts all group invitations, the user joins each group without a command`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(try await bob.run("/_set accept group invitations 1 on")["type"] == "cmdOk")
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        let accepted = try await bob.wait(for: "userAcceptedGroupSent")[0]
        #expect(accepted["groupInfo"]?["membership"]?["memberStatus"] == "accepted" && accepted["hostContact"] == nil)
        try await alice.wait(for: "joinedGroupMember")
        try await bob.wait(for: "userJoinedGroup")
        #expect(try await bob.invitationStatuses() == ["accepted"])
        #expect(try await !bob.events().contains { $0.event["type"] == "receivedGroupInvitation" })
        try await alice.sendToGroup("hello", to: 1)
        try await bob.waitForGroupText("hello")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If the inviter withdraws an automatically accepted group invitation, the invitation is pending again`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_set accept group invitations 1 on")
        await bob.controller.stop()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await alice.withdrawInvitation()
        try await bob.controller.start()
        try await bob.wait(for: "userAcceptedGroupSent")
        let told = try await bob.wait(for: "receivedGroupInvitation")[0]
        #expect(told["groupInfo"]?["membership"]?["memberStatus"] == "invited")
        #expect(try await bob.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "invited")
        #expect(try await bob.invitationStatuses() == ["pending"])
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "userJoinedGroup")
        for core in [alice, bob] { await core.controller.close() }
    }

    /// Changes a store as if the acceptance of the first group's invitation had not been carried out.
    private static func undoJoin(_ core: Core, step: Bool) async throws {
        try await core.controller.store.write { tx in
            try tx.db.execute("UPDATE group_members SET member_status = 'accepted' WHERE member_category = 'user'")
            try tx.db.execute(
                "UPDATE connections SET conn_status = 'prepared' WHERE group_member_id IN (SELECT group_member_id FROM group_members WHERE member_category = 'host')"
            )
            guard step else { return }
            try tx.db.execute(
                "UPDATE group_members SET member_status = 'accepted', step = 'accept', step_request = (SELECT invitation FROM groups g WHERE g.group_id = group_members.group_id) WHERE member_category = 'host'"
            )
        }
    }

    @Test
    func `If an inviter repeats an accepted group invitation with another role, the user gets the new role`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_set accept group invitations 1 on")
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")
        // Neither side knows that the connection is ready.
        try await Self.undoJoin(bob, step: false)
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE group_members SET member_status = 'invited' WHERE member_category = 'invitee'")
        }
        let repeated = try await alice.run("/_add #1 1 admin")
        #expect(repeated["type"] == "sentGroupInvitation", "\(repeated)")
        let told = try await bob.wait(for: "userAcceptedGroupSent", count: 2)[1]
        #expect(told["groupInfo"]?["membership"]?["memberRole"] == "admin")
        #expect(told["groupInfo"]?["membership"]?["memberStatus"] == "accepted")
        #expect(try await bob.run("/_info #1")["groupInfo"]?["membership"]?["memberRole"] == "admin")
        let items = try await bob.run("/_get chat @1 count=20")["chat"]?["chatItems"]?.arrayValue ?? []
        #expect(items.compactMap { $0["content"]?["memberRole"]?.stringValue } == ["admin"])
        #expect(try await bob.invitationStatuses() == ["accepted"])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If the command to join an automatically accepted group invitation fails, the invitation is pending again`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await alice.withdrawInvitation()
        // The automatic acceptance waits for its next attempt: no change wakes the worker.
        try await Self.undoJoin(bob, step: true)
        try await bob.controller.store.write { tx in
            try tx.db.execute(
                "UPDATE chat_items SET item_content = replace(item_content, '\"pending\"', '\"accepted\"')"
            )
        }
        #expect(try await bob.invitationStatuses() == ["accepted"])
        #expect(try await bob.run("/_join #1")["type"] == "errorAgent")
        try await bob.wait(for: "receivedGroupInvitation", count: 2)
        #expect(try await bob.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "invited")
        #expect(try await bob.invitationStatuses() == ["pending"])
        #expect(
            try await bob.controller.store.read { db in
                try db.query("SELECT 1 FROM group_members WHERE step IS NOT NULL").isEmpty
            }
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The removal of a member who is still connecting is sent when the connection to this member is ready`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.run("/_join #1")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")
        let member = try #require(
            try await alice.run("/_members #1")["group"]?["members"]?[0]?["groupMemberId"]?.integerValue
        )
        let id = try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE group_members SET member_status = 'accepted' WHERE member_category = 'invitee'")
            try tx.db.execute(
                "UPDATE connections SET conn_status = 'accepted' WHERE group_member_id = ?",
                [member]
            )
            return try tx.db.queryFirst("SELECT connection_id FROM connections WHERE group_member_id = ?", [member])?
                .int64(
                    "connection_id"
                )
        }
        let connection = try #require(id)
        #expect(try await alice.run("/_remove #1 \(member) messages=off")["type"] == "userDeletedMembers")
        #expect(try await !bob.events().contains { $0.event["type"] == "deletedMemberUser" })
        try await alice.controller.store.write { tx in
            guard let peer = try ConnectionPeer.find(connection, in: tx.db), let membership = peer.member else {
                return
            }
            var handshake = MemberHandshake(peer, membership, tx)
            try handshake.handleConnected()
        }
        try await bob.wait(for: "deletedMemberUser")
        #expect(try await bob.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "removed")
        try await waitUntil("the connection is gone") {
            try await alice.controller.store.read { db in
                try db.query(
                    "SELECT 1 FROM connections WHERE group_member_id IS NOT NULL AND conn_status <> 'deleted'"
                ).isEmpty
            }
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A second removal of a member deletes the incomplete connection to this member`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.run("/_join #1")
        try await alice.wait(for: "joinedGroupMember")
        let member = try #require(
            try await alice.run("/_members #1")["group"]?["members"]?[0]?["groupMemberId"]?.integerValue
        )
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE group_members SET member_status = 'accepted' WHERE member_category = 'invitee'")
            try tx.db.execute("UPDATE connections SET conn_status = 'accepted' WHERE group_member_id = ?", [member])
        }
        for isConnected in [true, false] {
            #expect(try await alice.run("/_remove #1 \(member) messages=off")["type"] == "userDeletedMembers")
            let connections = try await alice.controller.store.read { db in
                try db.query(
                    "SELECT 1 FROM connections WHERE group_member_id IS NOT NULL AND conn_status <> 'deleted'"
                ).count
            }
            #expect((connections > 0) == isConnected)
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `After an admin introduces two members, they connect and exchange messages directly`() async throws {
        let trio = try await Trio()
        try await trio.alice.sendToGroup("one", to: 1)
        try await trio.bob.waitForGroupText("one")
        try await trio.carol.waitForGroupText("one")
        await trio.alice.controller.stop()
        try await trio.carol.sendToGroup("two", to: 1)
        #expect(try await trio.bob.waitForGroupText("two")["chatDir"]?["groupMember"]?["localDisplayName"] == "carol")
        try await trio.alice.controller.start()
        #expect(try await trio.alice.waitForGroupText("two")["chatDir"]?["groupMember"]?["localDisplayName"] == "carol")
        // Neither alice nor bob got the message a second time.
        for core in [trio.alice, trio.bob] {
            let texts = try await core.run("/_get chat #1 count=100").itemTexts
            #expect(texts.count { $0 == "two" } == 1)
        }
        await trio.close()
    }
}

extension Core {
    /// Returns the status of each group invitation in the chat with the first contact.
    fileprivate func invitationStatuses() async throws -> [String] {
        let items = try await run("/_get chat @1 count=20")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.compactMap { $0["content"]?["groupInvitation"]?["status"]?.stringValue }
    }
}

/// Alice's group, with Bob and Carol, all connected.
struct Trio {
    let world: World
    let alice: Core
    let bob: Core
    let carol: Core

    init(roles: (bob: String, carol: String) = ("member", "member"), profile: String = Core.groupProfile) async throws {
        world = try await World()
        (alice, bob, carol) = (
            try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
        )
        for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        try await connectUsers(alice, 1, to: bob, 1)
        try await connectUsers(alice, 1, to: carol, 1)
        try await alice.createGroup(profile)
        try await addMember(bob, contact: 1, roles.bob, joined: 1)
        try await addMember(carol, contact: 2, roles.carol, joined: 2)
        try await bob.wait(for: "connectedToGroupMember")
        try await carol.wait(for: "connectedToGroupMember")
    }

    private func addMember(_ core: Core, contact: Int64, _ role: String, joined: Int) async throws {
        let invited = try await alice.run("/_add #1 \(contact) \(role)")
        try #require(invited["type"] == "sentGroupInvitation", "\(invited)")
        try await core.wait(for: "receivedGroupInvitation")
        let answer = try await core.run("/_join #1")
        try #require(answer["type"] == "userAcceptedGroupSent", "\(answer)")
        try await core.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember", count: joined)
    }

    /// Adds a member whom Alice invites, and who knows the other two members.
    func addNewcomer(_ name: String) async throws -> Core {
        let core = try await world.core(name)
        try await core.createUser(name)
        try await connectUsers(alice, 1, to: core, 1)
        let contact = try #require(
            try await alice.run("/_contacts 1")["contacts"]?.arrayValue?.first {
                $0["localDisplayName"]?.stringValue == name
            }?["contactId"]?.integerValue
        )
        try await alice.run("/_add #1 \(contact) member")
        try await core.wait(for: "receivedGroupInvitation")
        try await core.run("/_join #1")
        try await core.wait(for: "connectedToGroupMember", count: 2)
        return core
    }

    func close() async { for core in [alice, bob, carol] { await core.controller.close() } }
}

extension Core {
    static let groupProfile = #"{"displayName":"team","fullName":""}"#

    func createGroup(_ profile: String = groupProfile) async throws {
        let answer = try await run("/_group 1 incognito=off \(profile)")
        try #require(answer["type"] == "groupCreated", "\(answer)")
    }

    /// Removes the only member of group 1, who is invited, and waits until the queue of the invitation is deleted.
    func withdrawInvitation() async throws {
        let invited = try #require(
            try await run("/_members #1")["group"]?["members"]?[0]?["groupMemberId"]?.integerValue
        )
        #expect(try await run("/_remove #1 \(invited) messages=off")["type"] == "userDeletedMembers")
        try await waitUntil("the connection is retired") {
            try await controller.store.read { db in try db.query("SELECT 1 FROM retired_connections").isEmpty }
        }
        try await waitUntil("the queue of the invitation is deleted") {
            try await controller.services.agent.database.read { db in
                try db.query("SELECT 1 FROM deleted_queues").isEmpty
            }
        }
    }

    @discardableResult
    func sendToGroup(_ text: String, to group: Int64) async throws -> JSONValue {
        try await run(
            #"/_send #\#(group) live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
        )
    }

    /// Waits for the event of an item with this text from a member.
    @discardableResult
    func waitForGroupText(_ text: String) async throws -> JSONValue {
        var count = 1
        while true {
            let events = try await wait(for: "newChatItems", count: count)
            let items = events.flatMap { $0["chatItems"]?.arrayValue ?? [] }.compactMap { $0["chatItem"] }
            if let found = items.first(where: {
                $0["meta"]?["itemText"]?.stringValue == text && $0["chatDir"]?["type"] == "groupRcv"
            }) {
                return found
            }
            count = events.count + 1
        }
    }
}
