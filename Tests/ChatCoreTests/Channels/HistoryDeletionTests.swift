import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Deleting from the history of a channel", .socketTimeLimit)
struct HistoryDeletionTests {
    private func findPost(_ text: String, _ core: Core) async throws -> JSONValue? {
        try await core.run("/_get chat #1 count=20")["chat"]?["chatItems"]?.arrayValue?.first {
            $0["meta"]?["itemText"]?.stringValue == text
        }
    }

    private func itemID(_ text: String, _ core: Core) async throws -> Int64 {
        try #require(try await findPost(text, core)?["meta"]?["itemId"]?.integerValue)
    }

    @Test
    func `If a post is deleted from a channel's history, its recipients keep it, and new subscribers do not get it`()
        async throws
    {
        let channel = try await CoreChannel()
        let (alice, rel) = (channel.alice, channel.relay)
        let bob = try await channel.joinSubscriber("bob")
        for text in ["old", "kept"] { try await alice.postAsChannel(text) }
        try await waitUntil("the posts have arrived") {
            let isOldThere = try await findPost("old", bob) != nil
            return try await findPost("kept", bob) != nil && isOldThere
        }
        let deleted = try await alice.run("/_delete item #1 \(itemID("old", alice)) history")
        #expect(deleted["type"] == "chatItemsDeleted" && deleted["byUser"] == true, "\(deleted)")
        try await waitUntil("the relay has forgotten it") {
            try await findPost("old", rel).map { $0["meta"]?["itemDeleted"] != nil } ?? true
        }
        let eve = try await channel.joinSubscriber("eve")
        try await waitUntil("the history has arrived") { try await findPost("kept", eve) != nil }
        #expect(try await findPost("old", eve) == nil)
        // The later post would arrive after the deletion if the relay had passed the deletion on.
        try await alice.postAsChannel("later")
        try await waitUntil("the later post has arrived") { try await findPost("later", bob) != nil }
        #expect(try await findPost("old", bob)?["meta"]?["itemDeleted"] == nil)
        await channel.close(bob, eve)
    }

    @Test
    func `An owner cannot delete a post only locally, and a subscriber cannot delete a post from the history`()
        async throws
    {
        let channel = try await CoreChannel()
        let alice = channel.alice
        let bob = try await channel.joinSubscriber("bob")
        try await alice.postAsChannel("post")
        try await waitUntil("the post has arrived") { try await findPost("post", bob) != nil }
        #expect(
            try await alice.run("/_delete item #1 \(itemID("post", alice)) internal").errorType
                == "invalidChatItemDelete"
        )
        #expect(
            try await bob.run("/_delete item #1 \(itemID("post", bob)) history").errorType == "invalidChatItemDelete"
        )
        #expect(try await bob.run("/_delete item #1 \(itemID("post", bob)) internal")["type"] == "chatItemsDeleted")
        await channel.close(bob)
    }
}
