import JSON
import TestSupport
import Testing

@testable import ChatCore

/// A subscriber that does not receive its messages, so that its queue at the message relay is full.
@Suite("Slow subscribers of a channel", .socketTimeLimit)
struct SlowSubscriberTests {
    @Test
    func `A subscriber with a full queue does not delay other subscribers, and gets all posts in order in the end`()
        async throws
    {
        let channel = try await CoreChannel(queueQuota: 8)
        let (bob, carol) = (try await channel.joinSubscriber("bob"), try await channel.joinSubscriber("carol"))
        await bob.controller.stop()
        let texts = (0..<60).map { "post \($0)" }
        for text in texts { try await channel.alice.postAsChannel(text) }
        for text in texts { try await carol.waitForItem(text) }
        // Many more messages than a queue can contain wait only for Bob.
        let waiting = try await channel.relay.controller.store.read { db in
            try db.query(
                """
                SELECT m.local_display_name AS name, count(*) AS n FROM deliveries d JOIN connections c ON c.connection_id = d.connection_id
                JOIN group_members m ON m.group_member_id = c.group_member_id WHERE d.delivery_status = 'pending' GROUP BY m.local_display_name
                """
            ).map { try $0.string("name") }
        }
        #expect(waiting.allSatisfy { $0 == "bob" }, "\(waiting)")
        try await bob.controller.start()
        try await bob.waitForItem(texts[59])
        let came = try await bob.run("/_get chat #1 count=200").itemTexts.filter { $0.hasPrefix("post ") }
        #expect(came == texts)
        await channel.close(bob, carol)
    }
}
