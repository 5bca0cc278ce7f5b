import JSON
import SMPRelay
import TestSupport
import Testing

@testable import ChatCore

/// Two members with rights who make contrary changes at the same time: each change is made before the other one
/// arrives.
@Suite(.socketTimeLimit) struct ConcurrentAdminTests {
    /// Makes a group of Alice, Bob and Carol, which Dan joins last. Alice has created it.
    private func makeTrioWithDan(bob role: String) async throws -> (trio: Trio, dan: Core) {
        let trio = try await Trio(roles: (bob: role, carol: "member"))
        let dan = try await trio.addNewcomer("dan")
        for core in [trio.bob, trio.carol] { try await core.wait(for: "connectedToGroupMember", count: 2) }
        return (trio, dan)
    }

    private func memberNumber(_ id: String, _ core: Core) async throws -> Int64? {
        try await core.run("/_members #1")["group"]?["members"]?.arrayValue?.first {
            $0["memberId"]?.stringValue == id
        }?["groupMemberId"]?.integerValue
    }

    private struct MemberView: Equatable, CustomStringConvertible {
        let name: String?
        let role: String?
        let isBlocked: Bool?

        var description: String { "\(name ?? "-") \(role ?? "-") \(isBlocked.map { "\($0)" } ?? "-")" }

        /// - Parameter id: the id of the changed member. In the member's own core the block is nil, since a member is
        /// not informed of its block.
        init(_ core: Core, of id: String) async throws {
            let group = try await core.run("/_info #1")["groupInfo"]
            name = group?["groupProfile"]?["displayName"]?.stringValue
            let isUser = group?["membership"]?["memberId"]?.stringValue == id
            let members = try await core.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
            let member = isUser ? group?["membership"] : members.first { $0["memberId"]?.stringValue == id }
            role = member?["memberRole"]?.stringValue
            isBlocked = isUser ? nil : member?["blockedByAdmin"]?.boolValue
        }
    }

    /// Runs two changes without a relay, so that neither side gets the other change before its own. The first change
    /// reaches all members before the second one is sent.
    /// - Returns: the relay that replaces the relay of the world.
    private func changeConcurrently(
        in world: World,
        _ first: () async throws -> Void,
        _ other: Core,
        _ second: () async throws -> Void,
        until isHeard: () async throws -> Bool
    ) async throws -> Relay {
        await world.relay.stopAndWait()
        try await first()
        try await second()
        await other.controller.stop()
        let again = try await Relay.start(configuration: world.relayConfiguration, group: World.eventLoopGroup)
        try await waitUntil("the first change has arrived") { try await isHeard() }
        try await other.controller.start()
        return again
    }

    @Test(
        arguments: ["admin", "owner"],
        [true, false]
    )
    func `Concurrent changes of a group and its members by two admins have the same result for all members`(
        role: String,
        isAliceFirst: Bool
    ) async throws {
        let (trio, dan) = try await makeTrioWithDan(bob: role)
        let carol = try await trio.alice.memberID("carol")
        func change(_ core: Core, role: String, isBlocked: Bool, name: String?) async throws {
            let member = try #require(try await memberNumber(carol, core))
            #expect(try await core.run("/_member role #1 \(member) \(role)")["type"] == "membersRoleUser")
            for blocked in isBlocked ? [true] : [true, false] {
                #expect(
                    try await core.run("/_block #1 \(member) blocked=\(blocked ? "on" : "off")")["type"]
                        == "membersBlockedForAllUser"
                )
            }
            if let name {
                #expect(
                    try await core.run(#"/_group_profile #1 {"displayName":"\#(name)","fullName":""}"#)["type"]
                        == "groupUpdated"
                )
            }
        }
        let byAlice = {
            try await change(trio.alice, role: "moderator", isBlocked: true, name: role == "owner" ? "by alice" : nil)
        }
        let byBob = {
            try await change(trio.bob, role: "observer", isBlocked: false, name: role == "owner" ? "by bob" : nil)
        }
        let isHeard = { try await MemberView(dan, of: carol).role == (isAliceFirst ? "moderator" : "observer") }
        let relay =
            isAliceFirst
            ? try await changeConcurrently(in: trio.world, byAlice, trio.bob, byBob, until: isHeard)
            : try await changeConcurrently(in: trio.world, byBob, trio.alice, byAlice, until: isHeard)
        let cores = [trio.alice, trio.bob, trio.carol, dan]
        for (core, text) in zip(cores[..<2], ["of alice", "of bob"]) { try await core.sendToGroup(text, to: 1) }
        for core in [trio.carol, dan] { for text in ["of alice", "of bob"] { try await core.waitForGroupText(text) } }
        try await waitUntil("all members have the same view") {
            var views: [MemberView] = []
            for core in cores { views.append(try await MemberView(core, of: carol)) }
            let blocked = Set(views.compactMap(\.isBlocked))
            return Set(views.map(\.role)).count == 1 && Set(views.map(\.name)).count == 1 && blocked.count == 1
                && views[0].role != "member"
        }
        // The exchange has ended: the two sides do not continue to answer each other.
        let sent = try await trio.alice.events().count + trio.bob.events().count
        try await trio.alice.sendToGroup("quiet", to: 1)
        try await trio.bob.waitForGroupText("quiet")
        try await trio.bob.sendToGroup("quiet too", to: 1)
        try await trio.alice.waitForGroupText("quiet too")
        #expect(try await trio.alice.events().count + trio.bob.events().count < sent + 20)
        await dan.controller.close()
        await trio.close()
        await relay.stopAndWait()
    }

    @Test(arguments: [true, false])
    func `If one admin removes a member while another admin changes or blocks the member, all members see the removal`(
        isRemovalFirst: Bool
    ) async throws {
        let (trio, dan) = try await makeTrioWithDan(bob: "admin")
        let carol = try await trio.alice.memberID("carol")
        let remove = {
            let member = try #require(try await memberNumber(carol, trio.alice))
            #expect(try await trio.alice.run("/_remove #1 \(member) messages=off")["type"] == "userDeletedMembers")
        }
        let change = {
            let member = try #require(try await memberNumber(carol, trio.bob))
            #expect(try await trio.bob.run("/_member role #1 \(member) admin")["type"] == "membersRoleUser")
            #expect(try await trio.bob.run("/_block #1 \(member) blocked=on")["type"] == "membersBlockedForAllUser")
        }
        func isThere() async throws -> Bool {
            try await dan.memberProperties().contains { $0["id"]?.stringValue == carol && $0["status"] != "removed" }
        }
        let relay =
            isRemovalFirst
            ? try await changeConcurrently(in: trio.world, remove, trio.bob, change) { try await !isThere() }
            : try await changeConcurrently(in: trio.world, change, trio.alice, remove) {
                try await MemberView(dan, of: carol).role == "admin"
            }
        try await trio.carol.wait(for: "deletedMemberUser")
        try await waitUntil("carol is removed") {
            for core in [trio.alice, trio.bob, dan] {
                let isThere = try await core.memberProperties().contains {
                    $0["id"]?.stringValue == carol && $0["status"] != "removed"
                }
                guard !isThere else { return false }
            }
            return true
        }
        await dan.controller.close()
        await trio.close()
        await relay.stopAndWait()
    }
}
