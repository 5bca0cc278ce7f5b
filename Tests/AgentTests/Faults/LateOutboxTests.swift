import TestSupport
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct LateOutboxTests {
    @Test
    func `A message for a stopped relay is counted as late until the relay accepts the message`() async throws {
        let relay = try await TestRelay()
        let port = Int(try #require(relay.address.portNumber))
        let alice = try await TestAgent(relay.address) { $0.lateMessageAgeSeconds = 0 },
            bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        try await waitUntil("no message waits") { alice.agent.outboxFigures.connections == 0 }
        await relay.relay.stopAndWait()
        try await alice.send(["1"], on: aliceID)
        try await waitUntil("the message is late") { alice.agent.outboxFigures.lateConnections == 1 }
        #expect(alice.agent.outboxFigures.connections == 1 && alice.agent.outboxFigures.waitingMessages == 1)
        let back = try await TestRelay(folder: relay.folder, port: port)
        #expect(try await bob.waitForTexts(1) == ["1"])
        try await waitUntil("no message waits") { alice.agent.outboxFigures == OutboxFigures() }
        await back.relay.stopAndWait()
    }
}
