import SMP
import SMPTestSupport
import TestSupport
import Testing

@testable import Agent

/// Changes of queues and of ratchets over a connection that breaks repeatedly.
@Suite(.socketTimeLimit) struct CutRotationTests {
    @Test(arguments: 0..<4)
    func `Each message arrives once if both sides change queues while their TCP connections to the relay break`(
        seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed &+ 100))
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, bob)
        let cuts = (0..<8).map { _ in Int.random(in: 1..<250_000, using: &random) }
        let proxy = try await CuttingProxy(to: relay.address, cuts: cuts)
        for agent in [alice, bob] { try await agent.setServers(relays: [AgentServer(proxy.server)]) }
        _ = try await alice.agent.switchConnection(aliceID)
        _ = try await bob.agent.switchConnection(bobID)
        let toBob = (0..<12).map { "to bob \($0)" }, toAlice = (0..<12).map { "to alice \($0)" }
        for (one, other) in zip(toBob, toAlice) {
            try await alice.send([one], on: aliceID)
            try await bob.send([other], on: bobID)
        }
        for agent in [alice, bob] {
            _ = try await agent.waitForAll("changes", 2) { event -> Bool? in
                if case .queueSwitchChanged(_, let change) = event, change.phase == .completed { true } else { nil }
            }
            #expect(agent.switchPhases(.rcv) == [.started, .confirmed, .secured, .completed])
        }
        let (atBob, atAlice) = (try await bob.waitForTexts(12), try await alice.waitForTexts(12))
        #expect(Set(atBob) == Set(toBob) && Set(atAlice) == Set(toAlice))
        try await alice.send(["after"], on: aliceID)
        try await bob.send(["after"], on: bobID)
        #expect(try await bob.waitForTexts(13).last == "after")
        #expect(try await alice.waitForTexts(13).last == "after")
        for (agent, id) in [(alice, aliceID), (bob, bobID)] {
            #expect(try await agent.agent.fetchConnectionQueueStates(id).rcvQueues.map(\.server) == [proxy.server.str])
        }
        await alice.agent.close()
        await bob.agent.close()
        await proxy.stop()
        await relay.relay.stopAndWait()
    }

    @Test(arguments: 0..<4)
    func `A renegotiation of the ratchet succeeds although the TCP connections to the relay break`(
        seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed &+ 200))
        let relay = try await TestRelay()
        let cuts = (0..<6).map { _ in Int.random(in: 100_000..<400_000, using: &random) }
        let proxy = try await CuttingProxy(to: relay.address, cuts: cuts)
        let alice = try await TestAgent(proxy.server), bob = try await TestAgent(proxy.server)
        let (aliceID, bobID) = try await connect(alice, bob)
        for round in 1...3 {
            _ = try await (round == 2 ? bob : alice).agent.synchronizeRatchet(
                round == 2 ? bobID : aliceID,
                pqSupport: true,
                force: true
            )
            for agent in [alice, bob] {
                _ = try await agent.waitForAll("agreement", round) { event -> Bool? in
                    if case .ratchetSync(_, let change) = event, change.state == .ok { true } else { nil }
                }
            }
            try await alice.send(["\(round)"], on: aliceID)
            try await bob.send(["\(round)"], on: bobID)
            #expect(try await bob.waitForTexts(round).last == "\(round)")
            #expect(try await alice.waitForTexts(round).last == "\(round)")
        }
        await alice.agent.close()
        await bob.agent.close()
        await proxy.stop()
        await relay.relay.stopAndWait()
    }
}
