import SMP
import SQLCipher
import TestSupport
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct ReceiveWindowTests {
    @Test
    func `A connection with the maximum number of unacknowledged messages delivers no further message`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address, acknowledges: false)
        let (aliceID, bobID) = try await connect(alice, bob)
        let texts = (0..<ReceiveWindow.defaultMaxMessages + 6).map { "m\($0)" }
        try await alice.send(texts, on: aliceID)
        #expect(
            try await bob.waitForTexts(ReceiveWindow.defaultMaxMessages)
                == Array(texts.prefix(ReceiveWindow.defaultMaxMessages))
        )
        _ = try await alice.waitForAll("sent", texts.count) { if case .sent = $0 { true } else { nil } }
        #expect(
            try await bob.agent.database.read { try $0.firstRow("SELECT count(*) AS n FROM rcv_messages")?.int64("n") }
                == Int64(ReceiveWindow.defaultMaxMessages)
        )
        let ids = bob.events.compactMap {
            if case .message(_, let meta, _, _) = $0 { meta.recipientInfo.id } else { nil }
        }
        bob.agent.acknowledgeMessages(connection: bobID, messageIDs: ids)
        #expect(try await bob.waitForTexts(texts.count) == texts)
    }

    @Test
    func `Acknowledged messages are deleted from the database at the latest when the agent stops`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["one", "two", "three"], on: aliceID)
        _ = try await bob.waitForTexts(3)
        await bob.agent.stop()
        #expect(
            try await bob.agent.database.read { try $0.firstRow("SELECT count(*) AS n FROM rcv_messages")?.int64("n") }
                == 0
        )
        await bob.agent.close()
    }

    @Test
    func `If the handler of an event throws an error, the handler gets the event again after the next start`()
        async throws
    {
        struct Unwilling: Error {}
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await alice.agent.stop()
        let told = AsyncStream.makeStream(of: String.self)
        try await alice.agent.start { events in
            for case .sent(_, _, let externalID, _) in events {
                told.continuation.yield(externalID)
                throw Unwilling()
            }
        }
        try await alice.send(["one"], on: aliceID)
        var first = told.stream.makeAsyncIterator()
        #expect(await first.next() == "\(aliceID.text) one")
        await alice.agent.close()
        let again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        let externalID = try await again.waitForFirst("sent") {
            if case .sent(_, _, let id, _) = $0 { id } else { nil }
        }
        #expect(externalID == "\(aliceID.text) one")
    }
}
