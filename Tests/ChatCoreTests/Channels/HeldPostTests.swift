import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Posts before any relay is connected", .socketTimeLimit)
struct HeldPostTests {
    @Test
    func `Posts that wait for the first relay of a channel are sent in order when this relay is connected`()
        async throws
    {
        var channel = try await CoreChannel(isServed: false)
        let one = try #require(try await channel.alice.postAsChannel("one").firstItemId)
        try await channel.alice.postAsChannel("two")
        let gone = try #require(try await channel.alice.postAsChannel("gone").firstItemId)
        #expect(
            try await channel.alice.run(
                #"/_update item #1 \#(one) live=off json {"msgContent":{"type":"text","text":"the first"},"mentions":{}}"#
            )["type"] == "chatItemUpdated"
        )
        #expect(try await channel.alice.run("/_delete item #1 \(gone) broadcast")["type"] == "chatItemsDeleted")
        try await channel.killAlice()
        #expect(
            try await channel.alice.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue?.last?["meta"]?[
                "itemStatus"
            ]?["type"] == "sndNew"
        )
        try await channel.relay.controller.start()
        try await channel.waitForRelay()
        try await channel.alice.postAsChannel("three")
        try await channel.alice.waitForStatus("sndSent", of: ["the first", "two", "three"])
        let bob = try await channel.joinSubscriber("bob")
        for text in ["the first", "two", "three"] { try await bob.waitForItem(text) }
        for core in [channel.relay, bob] {
            let items = try await core.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
            // A deleted post is marked as deleted, or is missing.
            let texts = items.filter { $0["meta"]?["itemDeleted"] == nil }.compactMap {
                $0["meta"]?["itemText"]?.stringValue
            }
            #expect(
                texts.filter { ["one", "the first", "two", "three", "gone"].contains($0) } == [
                    "the first", "two", "three",
                ],
                "\(texts)"
            )
        }
        let left = try await channel.alice.controller.store.read { db in
            try db.query("SELECT 1 AS n FROM waiting_messages").count
        }
        #expect(left == 0)
        await channel.close(bob)
    }

    @Test
    func `If too many posts wait for the first relay of a channel, the oldest post fails with an error`() async throws {
        let channel = try await CoreChannel(isServed: false)
        let first = try #require(try await channel.alice.postAsChannel("first").firstItemId)
        try await channel.alice.controller.store.write { tx in
            // Simulates many more waiting posts.
            try tx.db.execute(
                """
                WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 499)
                INSERT INTO waiting_messages (user_id, group_member_id, body_id, chat_item_id, msg_flags, created_at)
                SELECT user_id, group_member_id, body_id, NULL, msg_flags, created_at FROM waiting_messages, many
                """
            )
            try tx.db.execute(
                "UPDATE message_bodies SET deliveries = 500 WHERE body_id = (SELECT max(body_id) FROM waiting_messages)"
            )
        }
        func status(_ item: Int64) async throws -> JSONValue? {
            let items = try await channel.alice.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue
            return items?.first { $0["meta"]?["itemId"]?.integerValue == item }?["meta"]?["itemStatus"]
        }
        #expect(try await status(first)?["type"] == "sndNew")
        let second = try #require(try await channel.alice.postAsChannel("second").firstItemId)
        let failed: JSONValue = [
            "type": "sndError",
            "agentError": ["type": "other", "sndError": "too many messages wait for the connection"],
        ]
        #expect(try await status(first) == failed)
        #expect(try await status(second)?["type"] == "sndNew")
        let told = try await channel.alice.wait(for: "chatItemsStatusesUpdated")[0]
        #expect(told["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"] == failed)
        try await channel.relay.controller.start()
        try await channel.waitForRelay()
        try await channel.alice.waitForStatus("sndSent", of: ["second"])
        #expect(try await status(first) == failed)
        await channel.close()
    }

    @Test
    func `If the first relay of a channel never answers, waiting posts are sent to a relay that is added afterwards`()
        async throws
    {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let (silent, late) = (
            try await ScriptedRelay("silent", in: world, .init(invitationAnswer: .silence)),
            try await ScriptedRelay("late", in: world)
        )
        try await alice.run("/relays name=silent \(silent.address) name=late \(late.address)")
        try #require(
            try await alice.run("/_public group 1 1 \(CoreChannel.profileJSON)")["type"] == "publicGroupCreated"
        )
        let post = try #require(try await alice.postAsChannel("early").firstItemId)
        #expect(try await alice.run("/_get item info #1 \(post)")["chatItemInfo"]?["memberDeliveryStatuses"] == nil)
        #expect(try await alice.run("/_add relays #1 2")["type"] == "groupRelaysAdded")
        let channel = try await late.waitForChannel {
            $0.messages.contains { if case .messageNew = $0.event { true } else { false } }
        }
        // The relay must get the roster before the post.
        #expect(channel.messages.map(\.event.tag) == ["x.grp.roster", "x.msg.new"])
        try await alice.waitForStatus("sndSent", of: ["early"])
        let statuses = try await alice.run("/_get item info #1 \(post)")["chatItemInfo"]?["memberDeliveryStatuses"]?
            .arrayValue
        #expect(statuses?.count == 1)
        await alice.controller.close()
        for relay in [silent, late] { await relay.close() }
    }
}
