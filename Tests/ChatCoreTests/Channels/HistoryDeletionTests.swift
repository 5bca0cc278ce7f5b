import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Deleting from the history of a channel", .socketTimeLimit)
struct HistoryDeletionTests {
    private func post(_ text: String, _ core: Core) async throws -> JSONValue? {
        try await core.run("/_get chat #1 count=20")["chat"]?["chatItems"]?.arrayValue?.first {
            $0["meta"]?["itemText"]?.stringValue == text
        }
    }

    private func id(_ text: String, _ core: Core) async throws -> Int64 {
        try #require(try await post(text, core)?["meta"]?["itemId"]?.integerValue)
    }

    @Test
    func `A post deleted from the history stays with its recipients, and is not sent to later subscribers`()
        async throws
    {
        let channel = try await CoreChannel()
        let (alice, rel) = (channel.alice, channel.rel)
        let bob = try await channel.join("bob")
        for text in ["old", "kept"] { try await alice.post(text) }
        try await eventually("the posts have arrived") {
            let isOldThere = try await post("old", bob) != nil
            return try await post("kept", bob) != nil && isOldThere
        }
        let deleted = try await alice.run("/_delete item #1 \(id("old", alice)) history")
        #expect(deleted["type"] == "chatItemsDeleted" && deleted["byUser"] == true, "\(deleted)")
        try await eventually("the relay has forgotten it") {
            try await post("old", rel).map { $0["meta"]?["itemDeleted"] != nil } ?? true
        }
        let eve = try await channel.join("eve")
        try await eventually("the history has arrived") { try await post("kept", eve) != nil }
        #expect(try await post("old", eve) == nil)
        // The later post would arrive after the deletion if the relay had passed the deletion on.
        try await alice.post("later")
        try await eventually("the later post has arrived") { try await post("later", bob) != nil }
        #expect(try await post("old", bob)?["meta"]?["itemDeleted"] == nil)
        await channel.close(bob, eve)
    }

    @Test
    func `An owner cannot delete a post only locally, and a subscriber cannot delete it from the history`() async throws
    {
        let channel = try await CoreChannel()
        let alice = channel.alice
        let bob = try await channel.join("bob")
        try await alice.post("post")
        try await eventually("the post has arrived") { try await post("post", bob) != nil }
        #expect(
            try await alice.run("/_delete item #1 \(id("post", alice)) internal").errorType == "invalidChatItemDelete"
        )
        #expect(try await bob.run("/_delete item #1 \(id("post", bob)) history").errorType == "invalidChatItemDelete")
        #expect(try await bob.run("/_delete item #1 \(id("post", bob)) internal")["type"] == "chatItemsDeleted")
        await channel.close(bob)
    }
}
