import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Joining that is interrupted, and members who are away meanwhile.
@Suite(.socketTimeLimit) struct GroupRestartTests {
    @Test
    func `If the inviter is stopped during a join, the inviter's next start completes the join`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        await alice.controller.stop()
        #expect(try await bob.run("/_join #1")["type"] == "userAcceptedGroupSent")
        await bob.controller.close()
        let again = try await world.core("bob")
        try await alice.controller.start()
        try await alice.wait(for: "joinedGroupMember")
        try await again.wait(for: "userJoinedGroup")
        try await again.sendToGroup("here again", to: 1)
        try await alice.waitForGroupText("here again")
        for core in [alice, again] { await core.controller.close() }
    }

    /// Makes alice's group with Bob. Carol is another contact of alice.
    private func makeGroupWithoutCarol(in world: World) async throws -> (alice: Core, bob: Core, carol: Core) {
        let (alice, bob, carol) = (
            try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
        )
        for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        try await connectUsers(alice, 1, to: bob, 1)
        try await connectUsers(alice, 1, to: carol, 1)
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.run("/_join #1")
        try await bob.wait(for: "userJoinedGroup")
        return (alice, bob, carol)
    }

    @Test
    func `The introduction of two members to each other is completed after both members restart`() async throws {
        let world = try await World()
        let (alice, bob, carol) = try await makeGroupWithoutCarol(in: world)
        // Bob is away, and the new member's process ends as soon as it knows of Bob.
        await bob.controller.close()
        try await alice.run("/_add #1 2 member")
        try await carol.wait(for: "receivedGroupInvitation")
        try await carol.run("/_join #1")
        try await carol.wait(for: "userJoinedGroup")
        await carol.controller.close()
        let carolAgain = try await world.core("carol")
        let bobAgain = try await world.core("bob")
        try await bobAgain.wait(for: "connectedToGroupMember")
        try await carolAgain.wait(for: "connectedToGroupMember")
        await alice.controller.stop()
        try await carolAgain.sendToGroup("without alice", to: 1)
        try await bobAgain.waitForGroupText("without alice")
        for core in [alice, bobAgain, carolAgain] { await core.controller.close() }
    }

    @Test
    func `A member who was offline gets each message of a newly joined member once`() async throws {
        let world = try await World()
        let (alice, bob, carol) = try await makeGroupWithoutCarol(in: world)
        await bob.controller.stop()
        try await alice.run("/_add #1 2 member")
        try await carol.wait(for: "receivedGroupInvitation")
        try await carol.run("/_join #1")
        try await carol.wait(for: "userJoinedGroup")
        for number in 0..<5 { try await carol.sendToGroup("carol \(number)", to: 1) }
        try await alice.waitForGroupText("carol 4")
        await carol.controller.stop()
        try await bob.controller.start()
        let forwarded = try await bob.waitForGroupText("carol 4")
        #expect(forwarded["chatDir"]?["groupMember"]?["localDisplayName"] == "carol")
        try await carol.controller.start()
        try await bob.wait(for: "connectedToGroupMember")
        try await carol.wait(for: "connectedToGroupMember")
        try await carol.sendToGroup("directly", to: 1)
        try await bob.waitForGroupText("directly")
        let texts = try await bob.run("/_get chat #1 count=100").itemTexts
        #expect(texts.filter { $0.hasPrefix("carol ") } == (0..<5).map { "carol \($0)" })
        #expect(texts.count { $0 == "directly" } == 1)
        for core in [alice, bob, carol] { await core.controller.close() }
    }

    @Test
    func `A member's changed profile is sent with the member's next message, and shown in the group`() async throws {
        let trio = try await Trio()
        try await trio.carol.run(#"/_profile 1 {"displayName":"caroline","fullName":""}"#)
        try await trio.carol.sendToGroup("renamed", to: 1)
        #expect(
            try await trio.bob.waitForGroupText("renamed")["chatDir"]?["groupMember"]?["localDisplayName"] == "caroline"
        )
        let told = try await trio.bob.wait(for: "groupMemberUpdated")
        #expect(told.count == 1 && told[0]["toMember"]?["memberProfile"]?["displayName"] == "caroline")
        try await trio.carol.sendToGroup("once", to: 1)
        try await trio.bob.waitForGroupText("once")
        #expect(try await trio.bob.wait(for: "groupMemberUpdated").count == 1)
        await trio.close()
    }
}
