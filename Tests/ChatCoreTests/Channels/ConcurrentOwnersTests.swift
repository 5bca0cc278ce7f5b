import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Owners who change a channel at the same moment", .socketTimeLimit)
struct ConcurrentOwnersTests {
    /// The state of the channel in one core: its name, the version of the roster, and the roles of members by their
    /// ids.
    private struct ChannelState: Equatable, CustomStringConvertible {
        let name: String?
        let rosterVersion: Int64?
        let rolesByMember: [String: String]

        var description: String { "\(name ?? "-") \(rosterVersion ?? -1) \(rolesByMember.values.sorted())" }

        init(_ core: Core, of ids: [String]) async throws {
            let group = try await core.channelInfo()
            name = group["groupProfile"]?["displayName"]?.stringValue
            rosterVersion = group["rosterVersion"]?.integerValue
            var roles: [String: String] = [:]
            for member in try await core.listChannelMembers() + [group["membership"] ?? .null] {
                guard let id = member["memberId"]?.stringValue, ids.contains(id) else { continue }
                roles[id] = member["memberRole"]?.stringValue
            }
            self.rolesByMember = roles
        }
    }

    private func ownMemberID(_ core: Core) async throws -> String {
        try #require(try await core.channelInfo()["membership"]?["memberId"]?.stringValue)
    }

    private func memberNumber(_ id: String, _ core: Core) async throws -> Int64 {
        try #require(
            try await core.listChannelMembers().first { $0["memberId"]?.stringValue == id }?["groupMemberId"]?
                .integerValue
        )
    }

    private func promoteMember(_ dan: Core, to role: String, by alice: Core) async throws {
        try await alice.run("/_member role #1 \(alice.channelMemberNumber("dan")) \(role)")
        try await waitUntil("dan is \(role)") {
            try await dan.channelInfo()["membership"]?["memberRole"]?.stringValue == role
        }
    }

    @Test(arguments: [1, 2])
    func `If two owners change a channel's name and roles at the same time, all members see the same name and roles`(
        round: Int
    ) async throws {
        let channel = try await CoreChannel()
        let (alice, rel) = (channel.alice, channel.relay)
        let dan = try await channel.joinSubscriber("dan")
        try await promoteMember(dan, to: "owner", by: alice)
        let (bob, carol) = (try await channel.joinSubscriber("bob"), try await channel.joinSubscriber("carol"))
        try await dan.wait(for: "joinedGroupMemberConnecting", count: 2)
        let (bobs, carols) = (try await ownMemberID(bob), try await ownMemberID(carol))
        // Neither owner sees the other's changes before both have made their changes.
        await rel.controller.stop()
        func change(_ core: Core, _ name: String, bob: String, carol: String?) async throws {
            #expect(
                try await core.run("/_group_profile #1 {\"displayName\":\"\(name)\",\"fullName\":\"\"}")["type"]
                    == "groupUpdated"
            )
            #expect(
                try await core.run("/_member role #1 \(memberNumber(bobs, core)) \(bob)")["type"] == "membersRoleUser"
            )
            if let carol {
                #expect(
                    try await core.run("/_member role #1 \(memberNumber(carols, core)) \(carol)")["type"]
                        == "membersRoleUser"
                )
            }
        }
        let changes: [() async throws -> Void] = [
            { try await change(alice, "by alice", bob: "moderator", carol: nil) },
            { try await change(dan, "by dan", bob: "member", carol: "member") },
        ]
        for change in round == 1 ? changes : changes.reversed() { try await change() }
        try await rel.controller.start()
        let all = [alice, dan, rel, bob, carol]
        func views() async throws -> [ChannelState] {
            var views: [ChannelState] = []
            for core in all { views.append(try await ChannelState(core, of: [bobs, carols])) }
            return views
        }
        try await waitUntil("all members have the same view: \(all.count)") {
            let views = try await views()
            return views[0].name != "news" && views[0].rolesByMember[bobs] != "observer"
                && views[0].rolesByMember[carols] == "member"
                && views.allSatisfy { $0 == views[0] }
        }
        // A later subscriber gets the same state from the relay.
        let eve = try await channel.joinSubscriber("eve")
        let found = try await views()[0]
        try await waitUntil("a new subscriber has the same view") {
            try await ChannelState(eve, of: [bobs, carols]).rolesByMember == found.rolesByMember
        }
        #expect(try await eve.channelInfo()["groupProfile"]?["displayName"]?.stringValue == found.name)
        await channel.close(dan, bob, carol, eve)
    }

    @Test
    func `If one owner removes a member while another owner changes the member's role, all members see the removal`()
        async throws
    {
        let channel = try await CoreChannel()
        let (alice, rel) = (channel.alice, channel.relay)
        let dan = try await channel.joinSubscriber("dan")
        // A later subscriber does not learn the keys of owners who are missing in the link. So the subscribers join
        // first, and a moderator gets the keys.
        try await promoteMember(dan, to: "moderator", by: alice)
        let (bob, carol) = (try await channel.joinSubscriber("bob"), try await channel.joinSubscriber("carol"))
        try await dan.wait(for: "joinedGroupMemberConnecting", count: 2)
        try await promoteMember(dan, to: "owner", by: alice)
        let (bobs, dans) = (try await ownMemberID(bob), try await ownMemberID(dan))
        for core in [bob, carol] {
            try await waitUntil("dan is known") {
                try await ChannelState(core, of: [dans]).rolesByMember[dans] == "owner"
            }
        }
        #expect(
            try await alice.run("/_member role #1 \(memberNumber(bobs, alice)) member")["type"] == "membersRoleUser"
        )
        try await waitUntil("all members know the role of bob") {
            try await ChannelState(dan, of: [bobs]).rolesByMember[bobs] == "member"
        }
        await rel.controller.stop()
        #expect(
            try await alice.run("/_member role #1 \(memberNumber(bobs, alice)) moderator")["type"] == "membersRoleUser"
        )
        #expect(
            try await dan.run("/_remove #1 \(memberNumber(bobs, dan)) messages=off")["type"] == "userDeletedMembers"
        )
        try await rel.controller.start()
        try await bob.wait(for: "deletedMemberUser")
        try await waitUntil("bob is removed") {
            for core in [alice, dan, rel, carol] {
                let member = try await core.listChannelMembers().first { $0["memberId"]?.stringValue == bobs }
                guard member == nil || member?["memberStatus"] == "removed" else { return false }
            }
            return true
        }
        await channel.close(dan, bob, carol)
    }

    @Test(arguments: [1, 2])
    func `If two moderators block and unblock a member at the same time, all members see the same state`(
        round: Int
    ) async throws {
        let channel = try await CoreChannel()
        let (alice, rel) = (channel.alice, channel.relay)
        let dan = try await channel.joinSubscriber("dan")
        try await promoteMember(dan, to: "moderator", by: alice)
        let (bob, carol) = (try await channel.joinSubscriber("bob"), try await channel.joinSubscriber("carol"))
        try await dan.wait(for: "joinedGroupMemberConnecting", count: 2)
        let bobs = try await ownMemberID(bob)
        try await alice.run("/_member role #1 \(memberNumber(bobs, alice)) member")
        try await waitUntil("all members know the role of bob") {
            try await ChannelState(carol, of: [bobs]).rolesByMember[bobs] == "member"
        }
        func block(_ core: Core, _ values: String...) async throws {
            for value in values {
                #expect(
                    try await core.run("/_block #1 \(memberNumber(bobs, core)) blocked=\(value)")["type"]
                        == "membersBlockedForAllUser"
                )
            }
        }
        await rel.controller.stop()
        let changes: [() async throws -> Void] = [
            { try await block(alice, "on") }, { try await block(dan, "on", "off") },
        ]
        for change in round == 1 ? changes : changes.reversed() { try await change() }
        try await rel.controller.start()
        func isBlocked(_ core: Core) async throws -> Bool? {
            try await core.listChannelMembers().first { $0["memberId"]?.stringValue == bobs }?["blockedByAdmin"]?
                .boolValue
        }
        // Alice accepts the moderator's change, and announces it again.
        try await waitUntil("bob is unblocked for all members") {
            for core in [alice, dan, rel, carol] { guard try await isBlocked(core) == false else { return false } }
            return true
        }
        await channel.close(dan, bob, carol)
    }

    @Test
    func `An owner can delete another owner's channel post for all subscribers, and a moderator cannot`() async throws {
        let channel = try await CoreChannel()
        let alice = channel.alice
        let (dan, bob) = (try await channel.joinSubscriber("dan"), try await channel.joinSubscriber("bob"))
        func item(_ core: Core) async throws -> JSONValue? {
            try await core.run("/_get chat #1 count=20")["chat"]?["chatItems"]?.arrayValue?.first {
                $0["meta"]?["itemText"] == "wrong"
            }
        }
        func delete() async throws -> JSONValue {
            try await dan.run(
                "/_delete member item #1 \(#require(try await item(dan)?["meta"]?["itemId"]?.integerValue))"
            )
        }
        try await alice.postAsChannel("wrong")
        for core in [dan, bob] {
            try await waitUntil("the post has arrived") { try await item(core)?["chatDir"]?["type"] == "channelRcv" }
        }
        try await promoteMember(dan, to: "moderator", by: alice)
        #expect(try await delete()["errorType"]?["type"] == "invalidChatItemDelete")
        try await promoteMember(dan, to: "owner", by: alice)
        #expect(try await delete()["type"] == "chatItemsDeleted")
        try await waitUntil("the post is deleted") {
            try await item(bob).map { $0["meta"]?["itemDeleted"] != nil } ?? true
        }
        await channel.close(dan, bob)
    }
}
