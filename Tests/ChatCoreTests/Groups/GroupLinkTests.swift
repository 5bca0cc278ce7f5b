import JSON
import SQLCipher
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// Links of groups, and members who join by them.
@Suite(.socketTimeLimit) struct GroupLinkTests {
    @Test
    func `A user who joins a group by a group link gets the role that is set for this link`() async throws {
        let world = try await World()
        let (alice, bob, carol) = (
            try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
        )
        for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        try await alice.createGroup()
        #expect(try await alice.run("/_get link #1")["storeError"]?["type"] == "groupLinkNotFound")
        #expect(try await alice.run("/_create link #1 admin")["errorType"]?["type"] == "groupMemberInitialRole")
        let link = try await alice.createGroupLink()
        #expect(try await alice.run("/_create link #1 member")["storeError"]?["type"] == "duplicateGroupLink")

        #expect(try await bob.run("/_connect plan 1 \(link.full)").groupPlan["type"] == "ok")
        let sent = try await bob.run("/_connect 1 \(link.full)")
        #expect(sent["type"] == "sentInvitation" && sent["connection"]?["groupLinkId"] != nil, "\(sent)")
        let asked = try await alice.wait(for: "acceptingGroupJoinRequestMember")[0]
        #expect(
            asked["member"]?["memberRole"] == "member" && asked["member"]?["activeConn"]?["viaGroupLink"] == true,
            "\(asked)"
        )
        let connecting = try await bob.wait(for: "groupLinkConnecting")[0]
        #expect(connecting["groupInfo"]?["viaGroupLinkUri"]?.stringValue == link.full, "\(connecting)")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")

        #expect(try await alice.run("/_set link role #1 observer")["groupLink"]?["acceptMemberRole"] == "observer")
        let plan = try await carol.run("/_connect plan 1 \(link.short)").groupPlan
        #expect(plan["type"] == "ok" && plan["groupSLinkData_"]?["groupProfile"]?["displayName"] == "team", "\(plan)")
        #expect(try await carol.run("/_connect 1 \(link.short)")["type"] == "sentInvitation")
        #expect(
            try await carol.wait(for: "groupLinkConnecting")[0]["groupInfo"]?["membership"]?["memberRole"] == "observer"
        )
        try await bob.wait(for: "connectedToGroupMember")
        try await carol.wait(for: "connectedToGroupMember")
        try await bob.sendToGroup("hello", to: 1)
        try await alice.waitForGroupText("hello")
        try await carol.waitForGroupText("hello")
        #expect(try await carol.sendToGroup("no", to: 1)["errorType"]?["type"] == "groupUserRole")

        #expect(try await bob.run("/_connect plan 1 \(link.full)").groupPlan["type"] == "known")
        #expect(try await carol.run("/_connect plan 1 \(link.short)").groupPlan["type"] == "known")
        #expect(try await alice.run("/_connect plan 1 \(link.short)").groupPlan["type"] == "ownLink")
        #expect(try await alice.run("/_connect plan 1 \(link.full)").groupPlan["type"] == "ownLink")
        // Owners and admins learn the whole profile of the new member.
        #expect(try await bob.run("/_members #1")["group"]?["members"]?.arrayValue?.count == 2)
        for core in [alice, bob, carol] { await core.controller.close() }
    }

    @Test
    func `Members who join a group at the same time all connect to each other`() async throws {
        let world = try await World()
        let names = ["bob", "carol", "dave", "eve"]
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        // All requests are waiting when alice starts to answer.
        await alice.controller.close()
        var joining: [Core] = []
        for name in names {
            let core = try await world.core(name)
            try await core.createUser(name)
            #expect(try await core.run("/_connect 1 \(link.full)")["type"] == "sentInvitation")
            joining.append(core)
        }
        let again = try await world.core("alice")
        for core in joining { try await core.wait(for: "connectedToGroupMember", count: names.count - 1) }
        for core in joining {
            let errors = try await core.events().filter { $0.event["type"] == "messageError" }
            #expect(errors.isEmpty, "\(errors)")
            #expect(try await core.run("/_members #1")["group"]?["members"]?.arrayValue?.count == names.count)
            await core.controller.close()
        }
        await again.controller.close()
    }

    @Test
    func `A message to a joining member waits until the connection is ready, and is sent after earlier messages`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        for (core, name) in [(alice, "alice"), (bob, "bob")] { try await core.createUser(name) }
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        try await bob.run("/_connect 1 \(link.full)")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")
        let database = alice.controller.store.database
        func set(_ status: String) async throws {
            try await database.write { try $0.execute("UPDATE connections SET conn_status = ?", [status]) }
        }
        try await set("joined")
        try await alice.sendToGroup("first", to: 1)
        try await set("snd-ready")
        try await alice.sendToGroup("second", to: 1)
        let bodies = try await database.read { db in
            try db.query(
                "SELECT b.body FROM waiting_messages w JOIN message_bodies b USING (body_id) ORDER BY w.waiting_id"
            ).map { String(decoding: try $0.blob("body"), as: UTF8.self) }
        }
        #expect(bodies.count == 2 && bodies[0].contains("first") && bodies[1].contains("second"), "\(bodies)")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If the profile of a group changes, the data of the group's short link change too`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        for (core, name) in [(alice, "alice"), (bob, "bob")] { try await core.createUser(name) }
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        #expect(
            try await alice.run("/_short link #1")["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
                == link.short
        )
        try await alice.run(#"/_group_profile #1 {"displayName":"renamed","fullName":""}"#)
        try await waitUntil("the link has the new name") {
            try await bob.run("/_connect plan 1 \(link.short)").groupPlan["groupSLinkData_"]?["groupProfile"]?[
                "displayName"
            ] == "renamed"
        }
        #expect(try await alice.run("/_delete link #1")["type"] == "groupLinkDeleted")
        #expect(try await alice.run("/_delete link #1")["storeError"]?["type"] == "groupLinkNotFound")
        try await alice.wait(for: "agentConnsDeleted")
        #expect(try await bob.run("/_connect plan 1 \(link.short)")["agentError"]?["smpErr"]?["type"] == "AUTH")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A member who joins incognito is known in the group only by the incognito name`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        for (core, name) in [(alice, "alice"), (bob, "bob")] { try await core.createUser(name) }
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        let name = try #require(
            try await bob.run("/_connect 1 incognito=on \(link.short)")["customUserProfile"]?["displayName"]?
                .stringValue
        )
        #expect(try await alice.wait(for: "joinedGroupMember")[0]["member"]?["localDisplayName"]?.stringValue == name)
        #expect(
            try await bob.wait(for: "userJoinedGroup")[0]["groupInfo"]?["membership"]?["memberProfile"]?["displayName"]?
                .stringValue == name
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A group link accepts requests up to its limit, and a repeated request makes no second member`() async throws {
        let world = try await World()
        let alice = try await world.core("alice") { $0.maxContactRequests = 3 }
        try await alice.createUser("alice")
        try await alice.createGroup()
        try await alice.createGroupLink()
        let number = try await alice.controller.store.read { db in
            try db.firstRow("SELECT agent_conn_id FROM group_links")?.string("agent_conn_id")
        }
        let link = try #require(ConnectionID(text: number ?? ""))
        for index in 1...6 {
            let request = try await alice.storeInvitation(to: link)
            let name = String(repeating: "n", count: index == 1 ? 10_000 : 3)
            let info =
                #"{"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"\#(name)","fullName":""},"contactReqId":"AAAA"}}"#
            for _ in 1...2 {
                try await alice.controller.handleAgentEvents([.request(link, request, connInfo: Array(info.utf8))])
            }
        }
        let members = try await alice.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        #expect(members.count == 3)
        #expect(members.allSatisfy { $0["memberStatus"] == "accepted" && $0["memberRole"] == "member" })
        #expect(members.allSatisfy { ($0["localDisplayName"]?.stringValue?.count ?? 0) <= 60 })
        #expect(try await alice.events().count { $0.event["type"] == "chatError" } == 1)
        await alice.controller.close()
    }

    @Test
    func `Invalid join requests and join requests of unsupported versions add no member to a group`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        try await alice.createGroup()
        try await alice.createGroupLink()
        let number = try await alice.controller.store.read { db in
            try db.firstRow("SELECT agent_conn_id FROM group_links")?.string("agent_conn_id")
        }
        let link = try #require(ConnectionID(text: number ?? ""))
        let profile = #""profile":{"displayName":"mallory","fullName":""}"#
        for info in [
            #"{"v":"1-2","event":"x.contact","params":{\#(profile)}}"#,
            #"{"v":"1-16","event":"x.contact","params":{}}"#, "no JSON",
            #"{"v":"1-16","event":"x.member","params":{\#(profile),"memberId":"AAAA","memberKey":"AAAA"}}"#,
            #"{"v":"30-40","event":"x.contact","params":{\#(profile)}}"#,
        ] {
            try await alice.controller.handleAgentEvents([
                .request(link, try await alice.storeInvitation(to: link), connInfo: Array(info.utf8))
            ])
        }
        #expect(try await alice.run("/_members #1")["group"]?["members"]?.arrayValue?.isEmpty == true)
        // A member who is no longer an admin does not admit anybody.
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE group_members SET member_role = 'member'")
        }
        let info = #"{"v":"1-16","event":"x.contact","params":{\#(profile)}}"#
        try await alice.controller.handleAgentEvents([
            .request(link, try await alice.storeInvitation(to: link), connInfo: Array(info.utf8))
        ])
        #expect(try await alice.run("/_members #1")["group"]?["members"]?.arrayValue?.isEmpty == true)
        await alice.controller.close()
    }

    @Test
    func `Only a valid answer to the user's own request at a group link makes a group`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        await alice.controller.stop()
        // No request was made over this connection.
        try await bob.run("/_connect 1 incognito=off")
        #expect(try await bob.run("/_connect 1 \(link.full)")["type"] == "sentInvitation")
        let numbers = try await bob.controller.store.read { db in
            try db.query("SELECT agent_conn_id FROM connections ORDER BY connection_id").map {
                try $0.string("agent_conn_id")
            }
        }
        let connections = numbers.compactMap(ConnectionID.init(text:))
        try #require(connections.count == 2)
        func answer(_ connection: ConnectionID, _ event: String, _ params: String) async throws {
            let info = #"{"v":"1-19","event":"\#(event)","params":\#(params)}"#
            try await bob.controller.handleAgentEvents([
                .confirmation(connection, [1, 2, 3], connInfo: Array(info.utf8))
            ])
        }
        func invitation(
            _ host: String = "aG9zdA",
            _ role: String = "owner",
            profile: String = "",
            name: String = "mallory"
        ) -> String {
            #"""
            {"groupLinkInvitation":{"fromMember":{"memberId":"\#(host)","memberRole":"owner"},"fromMemberName":"\#(name)",
            "invitedMember":{"memberId":"dXNlcg","memberRole":"\#(role)"},"groupProfile":{"displayName":"trap","fullName":""\#(profile)},"accepted":"accepted"}}
            """#
        }
        try await answer(connections[0], "x.grp.link.inv", invitation())
        try await answer(connections[1], "x.grp.link.inv", invitation("dXNlcg"))
        try await answer(connections[1], "x.grp.link.inv", invitation("aG9zdA", "emperor"))
        try await answer(
            connections[1],
            "x.grp.link.inv",
            invitation(
                profile:
                    #","publicGroup":{"groupType":"channel","groupLink":"https://example.org","publicGroupId":"AAAA"}"#
            )
        )
        try await answer(connections[1], "x.grp.inv", "{}")
        #expect(try await bob.run("/_groups 1")["groups"]?.arrayValue?.isEmpty == true)
        for _ in 1...2 {
            try await answer(
                connections[1],
                "x.grp.link.inv",
                invitation("aG9zdA", "member", name: String(repeating: "m", count: 10_000))
            )
        }
        let groups = try await bob.run("/_groups 1")["groups"]?.arrayValue ?? []
        #expect(groups.count == 1 && groups.first?["membership"]?["memberRole"] == "member")
        let members = try await bob.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        #expect(members.count == 1 && members.first?["memberCategory"] == "host")
        #expect((members.first?["localDisplayName"]?.stringValue?.count ?? 0) <= 60)
        #expect(try await bob.events().count { $0.event["type"] == "groupLinkConnecting" } == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If the host rejects a request at a group link, the requester gets the reason`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        await alice.controller.stop()
        try await bob.run("/_connect 1 \(link.full)")
        let number = try await bob.controller.store.read { db in
            try db.firstRow("SELECT agent_conn_id FROM connections")?.string("agent_conn_id")
        }
        let connection = try #require(ConnectionID(text: number ?? ""))
        let info = #"""
            {"v":"1-19","event":"x.grp.link.reject","params":{"groupLinkRejection":{"fromMember":{"memberId":"aG9zdA","memberRole":"owner"},
            "invitedMember":{"memberId":"dXNlcg","memberRole":"observer"},"groupProfile":{"displayName":"team","fullName":""},"rejectionReason":"blocked_name"}}}
            """#
        try await bob.controller.handleAgentEvents([.confirmation(connection, [1, 2, 3], connInfo: Array(info.utf8))])
        let events = try await bob.events().map(\.event)
        #expect(
            events.contains {
                $0["type"] == "groupLinkConnecting" && $0["groupInfo"]?["membership"]?["memberStatus"] == "rejected"
            }
        )
        #expect(
            events.contains { $0["type"] == "terminalEvent" && $0["data"]?["groupRejectionReason"] == "blocked_name" }
        )
        #expect(try await bob.run("/_connect plan 1 \(link.full)").groupPlan["type"] == "known")
        #expect(try await bob.sendToGroup("let me in", to: 1)["errorType"] != nil)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The profile that the host sends to a joined member is accepted only once`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        try await bob.run("/_connect 1 \(link.full)")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember")
        let other = #"{"profile":{"displayName":"somebody else","fullName":""}}"#
        try await alice.sendToMembers([("x.grp.link.mem", other)])
        try await bob.sendToMembers([("x.grp.link.mem", other)])
        try await alice.sendToGroup("one", to: 1)
        try await bob.sendToGroup("two", to: 1)
        try await bob.waitForGroupText("one")
        try await alice.waitForGroupText("two")
        #expect(try await bob.run("/_members #1")["group"]?["members"]?[0]?["localDisplayName"] == "alice")
        #expect(try await alice.run("/_members #1")["group"]?["members"]?[0]?["localDisplayName"] == "bob")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A join through a group link is completed after restarts of both sides`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        try await alice.createGroup()
        let link = try await alice.createGroupLink()
        await alice.controller.close()
        try await bob.run("/_connect 1 \(link.full)")
        await bob.controller.close()
        // The request is accepted while the requester is away.
        let aliceAgain = try await world.core("alice")
        try await aliceAgain.wait(for: "acceptingGroupJoinRequestMember")
        await aliceAgain.controller.close()
        let bobAgain = try await world.core("bob")
        let aliceAtLast = try await world.core("alice")
        try await bobAgain.wait(for: "userJoinedGroup")
        try await aliceAtLast.wait(for: "joinedGroupMember")
        try await bobAgain.sendToGroup("here", to: 1)
        try await aliceAtLast.waitForGroupText("here")
        #expect(try await aliceAtLast.run("/_members #1")["group"]?["members"]?.arrayValue?.count == 1)
        for core in [aliceAtLast, bobAgain] { await core.controller.close() }
    }
}

extension Core {
    @discardableResult
    func createGroupLink(_ role: String = "member") async throws -> (full: String, short: String) {
        let created = try await run("/_create link #1 \(role)")
        let link = created["groupLink"]?["connLinkContact"]
        return (
            try #require(link?["connFullLink"]?.stringValue, "\(created)"),
            try #require(link?["connShortLink"]?.stringValue, "\(created)")
        )
    }

    /// Returns a request as the agent stores it when it arrives.
    fileprivate func storeInvitation(to address: ConnectionID) async throws -> InvitationID {
        let id = InvitationID(RandomBytesForTests.make())
        let (_, request) = try await controller.services.agent.createInvitation(user: 1, pqSupport: false)
        try await controller.services.agent.database.write { db in
            try db.execute(
                "INSERT INTO invitations (invitation_id, conn_id, request, received_at) VALUES (?, ?, ?, 0)",
                id,
                address.bytes,
                request.uri
            )
        }
        return id
    }
}

private enum RandomBytesForTests {
    static func make() -> [UInt8] { (0..<12).map { _ in UInt8.random(in: .min ... .max) } }
}

extension JSONValue {
    var groupPlan: JSONValue { self["connectionPlan"]?["groupLinkPlan"] ?? .null }
}
