import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Counts and search in channels", .socketTimeLimit)
struct ChannelCountsTests {
    /// Returns the numbers of members and of subscribers in the summary of the group.
    private func summary(_ core: Core) async throws -> [Int64?] {
        let summary = try await core.channel()["groupSummary"]
        return ["currentMembers", "publicMemberCount"].map { summary?[$0]?.integerValue }
    }

    private func subscribers(_ core: Core) async throws -> Int64? { try await summary(core)[1] }

    @Test
    func `The number of a channel's subscribers does not include relays`() async throws {
        let channel = try await CoreChannel()
        #expect(try await summary(channel.alice) == [2, 1])
        let (bob, carol) = (try await channel.join("bob"), try await channel.join("carol"))
        #expect(try await summary(channel.alice) == [4, 3])
        #expect(try await summary(channel.rel) == [4, 3])
        // Until the link is read again, the user sees the number from the time when the link was opened.
        #expect(try await subscribers(bob) == 1)
        #expect(try await subscribers(carol) == 2)
        func reads(_ count: Int64, _ core: Core) async throws -> Bool {
            try await core.run("/_get group link data #1")["groupInfo"]?["groupSummary"]?["publicMemberCount"]?
                .integerValue == count
        }
        try await eventually("the link says three") { try await reads(3, bob) }
        #expect(try await carol.run("/_leave #1")["type"] == "leftMemberUser")
        try await eventually("the owner and the relay know that one has left") {
            let (owner, relay) = (try await subscribers(channel.alice), try await subscribers(channel.rel))
            return owner == 2 && relay == 2
        }
        try await eventually("the link says two") { try await reads(2, bob) }
        let removed = try await channel.alice.run("/_remove #1 \(channel.alice.channelMember("bob")) messages=off")
        #expect(removed["groupInfo"]?["groupSummary"]?["publicMemberCount"] == 1, "\(removed)")
        try await eventually("the relay knows that one is removed") { try await subscribers(channel.rel) == 1 }
        await channel.close(bob, carol)
    }

    private func stats(_ core: Core) async throws -> JSONValue? {
        let chats = try await core.run("/_get chats 1 pcc=off")["chats"]?.arrayValue ?? []
        return chats.first { $0["chatInfo"]?["type"] == "group" }?["chatStats"]
    }

    @Test
    func `Posts of a channel are unread for subscribers only until the subscribers read them`() async throws {
        let channel = try await CoreChannel()
        let bob = try await channel.join("bob")
        #expect(try await bob.run("/_read chat #1")["type"] == "cmdOk")
        try await channel.alice.post("one")
        try await channel.alice.post("two")
        try await channel.alice.send("three, with a name", to: 1)
        for text in ["one", "two", "three, with a name"] { try await bob.waitForItem(text) }
        #expect(try await stats(bob)?["unreadCount"] == 3)
        #expect(try await stats(channel.alice)?["unreadCount"] == 0)
        let first = try #require(
            try await bob.run("/_get chat #1 count=100 search=one")["chat"]?["chatItems"]?[0]?["meta"]?["itemId"]?
                .integerValue
        )
        #expect(try await stats(bob)?["minUnreadItemId"]?.integerValue == first)
        #expect(try await bob.run("/_read chat items #1 \(first)")["type"] == "itemsReadForChat")
        #expect(try await stats(bob)?["unreadCount"] == 2)
        #expect(try await bob.run("/_read chat #1")["type"] == "cmdOk")
        #expect(try await stats(bob)?["unreadCount"] == 0)
        await channel.close(bob)
    }

    @Test
    func `Owner, relay and subscribers of a channel find posts by their latest text`() async throws {
        let channel = try await CoreChannel()
        let bob = try await channel.join("bob")
        let changed = try #require(try await channel.alice.post("the harvest was poor").firstItemId)
        try await channel.alice.post("nothing of interest")
        try await channel.alice.send("a harvest festival", to: 1)
        try await channel.alice.run(
            #"/_update item #1 \#(changed) live=off json {"msgContent":{"type":"text","text":"the harvest was rich"},"mentions":{}}"#
        )
        try await bob.waitForItem("the harvest was rich")
        try await bob.waitForItem("a harvest festival")
        for core in [channel.alice, channel.rel, bob] {
            #expect(
                try await Set(core.run("/_get chat #1 count=100 search=HARVEST").itemTexts) == [
                    "the harvest was rich", "a harvest festival",
                ]
            )
            #expect(try await core.run("/_get chat #1 count=100 search=poor").itemTexts == [])
        }
        let kinds = try await bob.run("/_get chat #1 count=100 search=harvest")["chat"]?["chatItems"]?.arrayValue?
            .compactMap { $0["chatDir"]?["type"]?.stringValue }
        #expect(Set(kinds ?? []) == ["channelRcv", "groupRcv"])
        await channel.close(bob)
    }
}
