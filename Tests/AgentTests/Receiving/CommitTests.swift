import SQLCipher
import TestSupport
import Testing

@testable import Agent

/// Commits per message, and actions that wait for a commit. The agents may delay commits by an hour here, so a test
/// that needs such a commit causes it with a write.
@Suite(.socketTimeLimit) struct CommitTests {
    private static func setLongDelays(_ configuration: inout AgentConfiguration) {
        configuration.commitDelays.receivedReceiptDelay = .seconds(3600)
        configuration.commitDelays.ownReceiptDelay = .seconds(3600)
        configuration.commitDelays.deletionDelay = .seconds(3600)
    }

    private func makePair() async throws -> (
        alice: TestAgent, bob: TestAgent, aliceID: ConnectionID, bobID: ConnectionID
    ) {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, configure: Self.setLongDelays)
        let bob = try await TestAgent(relay.address, givesReceipts: true, configure: Self.setLongDelays)
        let (aliceID, bobID) = try await connect(alice, bob)
        // These writes delete rows that remain from the connection procedure.
        for agent in [alice.agent, bob.agent] { try await agent.database.write { _ in } }
        return (alice, bob, aliceID, bobID)
    }

    private func countRows(_ table: String, _ agent: Agent) async throws -> Int64 {
        try await agent.database.read { try $0.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") ?? 0 }
    }

    @Test
    func `While messages with receipts are exchanged, sender and recipient each make one commit per message`()
        async throws
    {
        let (alice, bob, aliceID, _) = try await makePair()
        try await alice.send(["first"], on: aliceID)
        _ = try await bob.waitForTexts(1)
        let before = (alice.agent.commitCount, bob.agent.commitCount)
        for number in 0..<20 {
            try await alice.send(["\(number)"], on: aliceID)
            _ = try await bob.waitForTexts(number + 2)
        }
        #expect(alice.agent.commitCount - before.0 == 20)
        #expect(bob.agent.commitCount - before.1 == 20)
        // These writes commit the receipts that the agents still delay.
        for _ in 0..<2 {
            for agent in [bob.agent, alice.agent] { try await agent.database.write { _ in } }
        }
    }

    @Test
    func `A receipt is sent by the recipient and reported to the sender only after the commit of its data`()
        async throws
    {
        let (alice, bob, aliceID, bobID) = try await makePair()
        try await alice.send(["one"], on: aliceID)
        _ = try await bob.waitForTexts(1)
        // The deletion of the message and its receipt wait in an open transaction. Reads show only committed rows, so
        // the message is still there.
        #expect(try await countRows("rcv_messages", bob.agent) == 1)
        #expect(
            try await bob.agent.database.read {
                try $0.query("SELECT 1 FROM snd_messages WHERE kind = 'receipts'").count
            } == 0
        )
        try await bob.send(["answer"], on: bobID)
        // Alice's agent delays the commit of Bob's receipt by up to an hour, but not the answer.
        #expect(try await alice.waitForTexts(1) == ["answer"])
        try await waitUntil(
            "the receipt is reported",
            {
                try await alice.agent.database.write { _ in }
                return alice.events.contains { if case .receipts = $0 { true } else { false } }
            }
        )
    }

    @Test
    func `The row of a sent message is deleted with the next commit, or when the agent stops`() async throws {
        let (alice, bob, aliceID, _) = try await makePair()
        try await alice.send(["one"], on: aliceID)
        _ = try await bob.waitForTexts(1)
        _ = try await alice.waitForFirst("sent") { if case .sent = $0 { true } else { nil } }
        #expect(try await countRows("snd_messages", alice.agent) == 1)
        // At a stop, the deletion does not wait for another commit.
        await alice.agent.stop()
        #expect(try await countRows("snd_messages", alice.agent) == 0)
    }
}
