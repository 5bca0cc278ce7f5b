import Testing

@testable import Agent

@Suite struct ConnectionTests {
    @Test("two agents connect and exchange messages in both directions, in order and whole")
    func fastProcedure() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, bob)
        let toBob = (0..<100).map { "to bob \($0)" }, toAlice = (0..<100).map { "to alice \($0)" }
        try await alice.send(toBob, on: aliceID)
        try await bob.send(toAlice, on: bobID)
        #expect(try await bob.texts(100) == toBob)
        #expect(try await alice.texts(100) == toAlice)
        let integrity = bob.events.compactMap { if case .message(_, let meta, _, _) = $0 { meta.integrity } else { nil } }
        #expect(integrity.allSatisfy { $0 == .ok })
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stop()
    }
}
