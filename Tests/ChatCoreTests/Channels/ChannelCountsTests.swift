import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Counts and search in channels", .socketTimeLimit)
struct ChannelCountsTests {
    /// Returns the numbers of members and of subscribers in the summary of the group.
    private func summaryCounts(_ core: Core) async throws -> [Int64?] {
        let summary = try await core.channelInfo()["groupSummary"]
        return ["currentMembers", "publicMemberCount"].map { summary?[$0]?.integerValue }
    }

    private func subscriberCount(_ core: Core) async throws -> Int64? { try await summaryCounts(core)[1] }

    @Test
    func `The number of a channel's subscribers does not include relays`() async throws {
        let channel = try await CoreChannel()
        #expect(try await summaryCounts(channel.alice) == [2, 1])
        let (bob, carol) = (try await channel.joinSubscriber("bob"), try await channel.joinSubscriber("carol"))
        #expect(try await summaryCounts(channel.alice) == [4, 3])
        #expect(try await summaryCounts(channel.relay) == [4, 3])
        // Until the link is read again, the user sees the number from the time when the link was opened.
        #expect(try await subscriberCount(bob) == 1)
        #expect(try await subscriberCount(carol) == 2)
        func reads(_ count: Int64, _ core: Core) async throws -> Bool {
            try await core.run("/_get group link data #1")["groupInfo"]?["groupSummary"]?["publicMemberCount"]?
                .integerValue == count
        }
        try await waitUntil("the link says three") { try await reads(3, bob) }
        #expect(try await carol.run("/_leave #1")["type"] == "leftMemberUser")
        try await waitUntil("the owner and the relay know that one has left") {
            let (owner, relay) = (try await subscriberCount(channel.alice), try await subscriberCount(channel.relay))
            return owner == 2 && relay == 2
        }
        try await waitUntil("the link says two") { try await reads(2, bob) }
        let removed = try await channel.alice.run(
            "/_remove #1 \(channel.alice.channelMemberNumber("bob")) messages=off"
        )
        #expect(removed["groupInfo"]?["groupSummary"]?["publicMemberCount"] == 1, "\(removed)")
        try await waitUntil("the relay knows that one is removed") { try await subscriberCount(channel.relay) == 1 }
        await channel.close(bob, carol)
    }

    private func chatStatistics(_ core: Core) async throws -> JSONValue? {
        let chats = try await core.run("/_get chats 1 pcc=off")["chats"]?.arrayValue ?? []
        return chats.first { $0["chatInfo"]?["type"] == "group" }?["chatStats"]
    }

    @Test
    func `Posts of a channel count as unread for a subscriber until the subscriber reads the posts`() async throws {
        let channel = try await CoreChannel()
        let bob = try await channel.joinSubscriber("bob")
        #expect(try await bob.run("/_read chat #1")["type"] == "cmdOk")
        try await channel.alice.postAsChannel("one")
        try await channel.alice.postAsChannel("two")
        try await channel.alice.sendToGroup("three, with a name", to: 1)
        for text in ["one", "two", "three, with a name"] { try await bob.waitForItem(text) }
        #expect(try await chatStatistics(bob)?["unreadCount"] == 3)
        #expect(try await chatStatistics(channel.alice)?["unreadCount"] == 0)
        let first = try #require(
            try await bob.run("/_get chat #1 count=100 search=one")["chat"]?["chatItems"]?[0]?["meta"]?["itemId"]?
                .integerValue
        )
        #expect(try await chatStatistics(bob)?["minUnreadItemId"]?.integerValue == first)
        #expect(try await bob.run("/_read chat items #1 \(first)")["type"] == "itemsReadForChat")
        #expect(try await chatStatistics(bob)?["unreadCount"] == 2)
        #expect(try await bob.run("/_read chat #1")["type"] == "cmdOk")
        #expect(try await chatStatistics(bob)?["unreadCount"] == 0)
        await channel.close(bob)
    }

    @Test
    func `Owner, relay and subscribers of a channel find an edited post by its new text, not by its old text`()
        async throws
    {
        let channel = try await CoreChannel()
        let bob = try await channel.joinSubscriber("bob")
        let changed = try #require(try await channel.alice.postAsChannel("the harvest was poor").firstItemId)
        try await channel.alice.postAsChannel("nothing of interest")
        try await channel.alice.sendToGroup("a harvest festival", to: 1)
        try await channel.alice.run(
            #"/_update item #1 \#(changed) live=off json {"msgContent":{"type":"text","text":"the harvest was rich"},"mentions":{}}"#
        )
        try await bob.waitForItem("the harvest was rich")
        try await bob.waitForItem("a harvest festival")
        for core in [channel.alice, channel.relay, bob] {
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
