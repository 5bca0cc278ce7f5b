import JSON
import SMP
import SMPTestSupport
import TestSupport
import Testing

@testable import ChatCore

/// Steps that connect members while a relay does not answer.
@Suite(.socketTimeLimit) struct MemberStepTests {
    @Test
    func `If the relay of one group member does not respond, connections to other members still succeed`() async throws
    {
        let world = try await World()
        let (alice, bob, carol) = (
            try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
        )
        for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        try await connectUsers(alice, 1, to: bob, 1)
        try await connectUsers(alice, 1, to: carol, 1)
        try await alice.createGroup()
        try await joinGroup(bob, 1, alice)
        // Bob's timeouts are long, so the step with the silent relay does not end during the test.
        var config = try #require(try await bob.run("/network")["networkConfig"]?.objectValue)
        config["tcpConnectTimeout"] = ["backgroundTimeout": 600_000_000, "interactiveTimeout": 600_000_000]
        #expect(try await bob.run("/_network \(JSONValue.object(config).text)")["type"] == "cmdOk")
        // Bob learns of a member on a relay that accepts connections and sends nothing.
        let silent = try await SilentServer(port: TestPort.takeUnused())
        let invitation = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        let authority = world.relay.address.authority
        let elsewhere = link.replacing(
            authority.replacing(":", with: "%3A"),
            with: authority.split(separator: ":")[0] + "%3A\(silent.port)"
        )
        #expect(elsewhere != link)
        let info =
            #"{"memberId":"bmV3bWVtYmVy","memberRole":"member","v":"1-19","profile":{"displayName":"mallory","fullName":""}}"#
        try await alice.sendToMembers([
            ("x.grp.mem.new", #"{"memberInfo":\#(info)}"#),
            ("x.grp.mem.fwd", #"{"memberInfo":\#(info),"memberIntro":{"groupConnReq":"\#(elsewhere)"}}"#),
        ])
        try await silent.waitForConnections(1)
        try await joinGroup(carol, 2, alice)
        try await bob.wait(for: "connectedToGroupMember")
        try await carol.wait(for: "connectedToGroupMember")
        // The step with the silent relay is still running.
        let left = try await bob.controller.store.read { db in
            try db.query("SELECT step FROM group_members WHERE step IS NOT NULL").map { try $0.string(0) }
        }
        #expect(left == ["join"])
        let ready = try await bob.controller.store.read { db in
            try db.firstRow(
                "SELECT count(*) AS n FROM group_members m JOIN connections c ON c.user_id = m.user_id AND c.group_member_id = m.group_member_id WHERE c.conn_status = 'ready'"
            )?.int64("n")
        }
        #expect(ready == 2)
        await silent.stop()
        for core in [alice, bob, carol] { await core.controller.close() }
    }

    private func joinGroup(_ core: Core, _ contact: Int, _ alice: Core) async throws {
        try await alice.run("/_add #1 \(contact) member")
        try await core.wait(for: "receivedGroupInvitation")
        try await core.run("/_join #1")
        try await core.wait(for: "userJoinedGroup")
        try await alice.wait(for: "joinedGroupMember", count: contact)
    }
}
