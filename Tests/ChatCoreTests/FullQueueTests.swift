import JSON
import TestSupport
import Testing

@testable import ChatCore

/// A contact that is offline until its queue is full.
@Suite(.socketTimeLimit) struct FullQueueTests {
    @Test
    func `A contact whose queue is full counts as inactive from the fifth failed delivery until the queue has room`()
        async throws
    {
        let world = try await World(queueQuota: 3)
        let (alice, bob) = try await world.makeConnectedCores()
        // The messages of the handshake have left the queue.
        try await alice.run("/_send @1 text first")
        try await waitForText("first", bob)
        await bob.controller.close()
        try await alice.controller.store.write { tx in try tx.db.execute("UPDATE connections SET quota_err_counter = 4")
        }
        let texts = (0..<8).map { "text \($0)" }
        for text in texts {
            try await alice.run("/_send @1 text \(text)")
            // Messages are sent one by one until the queue is full, and waiting messages are sent as a batch.
            if texts.prefix(3).contains(text) { try await alice.waitForStatus("sndSent", of: [text]) }
        }
        try await alice.wait(for: "connectionInactive")
        // Items have a warning only if the first message that the full queue refused belongs to an item. Then all
        // messages of its batch have a warning.
        let changes = try await alice.events().map(\.event).filter { $0["type"] == "chatItemsStatusesUpdated" }
        let changedItems: [JSONValue] = changes.flatMap { $0["chatItems"]?.arrayValue ?? [] }
        let statuses: [JSONValue] = changedItems.compactMap { $0["chatItem"]?["meta"]?["itemStatus"] }
        let warned = statuses.filter { $0["type"] == "sndWarning" }
        #expect(warned.allSatisfy { $0["agentError"] == ["type": "quota"] }, "\(warned)")
        let again = try await world.core("bob")
        for text in texts { try await waitForText(text, again) }
        let inactive = try await alice.wait(for: "connectionInactive", count: 2)
        #expect(inactive.map { $0["inactive"] } == [true, false])
        try await again.run("/_send @1 text done")
        try await waitForText("done", alice)
        let items = try await alice.run("/_get chat @1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        for item in items where texts.contains(item["meta"]?["itemText"]?.stringValue ?? "") {
            let status = item["meta"]?["itemStatus"]?["type"]?.stringValue ?? ""
            #expect(["sndSent", "sndRcvd"].contains(status), "\(item)")
        }
        for core in [alice, again] { await core.controller.close() }
    }
}
