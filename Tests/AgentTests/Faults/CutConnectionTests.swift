import SMP
import SMPTestSupport
import Testing
import TestSupport

@testable import Agent

/// Connecting over a connection that breaks repeatedly, with both modes of the inviter's queue.
@Suite(.socketTimeLimit) struct CutConnectionTests {
    @Test(
        arguments: [QueueMode.messaging, .contact],
        0..<6
    )
    func `Two agents connect and exchange messages in order although their TCP connections to the relay break`(
        mode: QueueMode,
        seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let relay = try await TestRelay()
        // A handshake needs about 5 kB and a block 16 kB in each direction. Connecting needs about ten blocks on each
        // side.
        let cuts = (0..<8).map { _ in Int.random(in: 1..<200_000, using: &random) }
        let proxy = try await CuttingProxy(to: relay.address, cuts: cuts)
        let alice = try await TestAgent(proxy.server, queueMode: mode),
            bob = try await TestAgent(proxy.server, queueMode: mode)

        let (aliceID, request) = try await repeatUntilDone("an invitation") {
            try await alice.agent.createInvitation(user: alice.user)
        }
        let link = try ConnectionRequest(parsing: request.uri)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: link)
        _ = try await repeatUntilDone("joining") {
            try await bob.agent.join(connection: bobID, request: link, connInfo: Array("bob".utf8))
        }
        let confirmation = try await alice.waitForFirst("confirmation") { event -> ConfirmationID? in
            if case .confirmation(aliceID, let id, _) = event { id } else { nil }
        }
        try await repeatUntilDone("allowing") {
            try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: Array("alice".utf8))
        }
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)

        let toBob = (0..<12).map { "to bob \($0)" }, toAlice = (0..<12).map { "to alice \($0)" }
        for (one, other) in zip(toBob, toAlice) {
            try await alice.send([one], on: aliceID)
            try await bob.send([other], on: bobID)
        }
        #expect(try await bob.waitForTexts(12) == toBob)
        #expect(try await alice.waitForTexts(12) == toAlice)
        for agent in [alice, bob] {
            #expect(agent.events.count { if case .connected = $0 { true } else { false } } == 1)
            #expect(agent.events.count { if case .confirmation = $0 { true } else { false } } <= 1)
            let integrity = agent.events.compactMap {
                if case .message(_, let meta, _, _) = $0 { meta.integrity } else { nil }
            }
            #expect(integrity == Array(repeating: .ok, count: 12))
        }
        await alice.agent.close()
        await bob.agent.close()
        await proxy.stop()
        await relay.relay.stopAndWait()
    }

    /// Repeats an attempt that the network has interrupted, as the user of the agent would do.
    private func repeatUntilDone<T>(_ what: Comment, _ attempt: () async throws -> T) async throws -> T {
        for _ in 0..<50 {
            do { return try await attempt() } catch let error as AgentError where error.isTemporary { continue }
        }
        Issue.record("no end of \(what)")
        return try await attempt()
    }
}
