import SMP
import TestSupport
import Testing

@testable import Agent

@Suite("Resolving of SimpleX names", .socketTimeLimit) struct NameResolvingTests {
    private let name: NameDomain
    private let record = NameRecord(name: "alice.simplex")

    init() throws { name = try NameDomain(parsing: "alice.simplex".utf8) }

    private func counterValue(_ counter: String, _ relay: TestRelay) -> Int {
        relay.relay.statistics.counters.first { $0.name == counter }?.value ?? 0
    }

    @Test(arguments: [ProxyPolicy.Mode.neverProxied, .alwaysProxied])
    func `The agent resolves a SimpleX name at the resolving relay directly, or through the user's relay as proxy`(
        mode: ProxyPolicy.Mode
    ) async throws {
        let (own, resolver) = (try await TestRelay(), try await TestRelay(names: [name: record.json]))
        let agent = try await TestAgent(own.address, proxy: ProxyPolicy(mode: mode, fallback: .prohibit))
        let found = try await agent.agent.resolveName(name, user: agent.user, at: [resolver.address])
        #expect(found == record)
        #expect(counterValue("forwarded", own) == (mode == .alwaysProxied ? 1 : 0))
    }

    @Test
    func `The agent asks the next relay for a SimpleX name if a relay has no resolver or an older version`()
        async throws
    {
        let relays = [
            try await TestRelay(), try await TestRelay(versions: ProtocolVersionRange(SMPVersion(6), SMPVersion(19))),
            try await TestRelay(names: [name: record.json]),
        ]
        let agent = try await TestAgent(relays[0].address, proxy: ProxyPolicy(mode: .neverProxied))
        for _ in 0..<3 {
            #expect(try await agent.agent.resolveName(name, user: agent.user, at: relays.map(\.address)) == record)
        }
        let without = relays[0].address
        await #expect(throws: AgentError.smp(server: without.withoutPassword.str, .name(.noResolver))) {
            try await agent.agent.resolveName(name, user: agent.user, at: [without])
        }
        await #expect(throws: AgentError.self) { try await agent.agent.resolveName(name, user: agent.user, at: []) }
    }

    @Test
    func `The agent asks no second relay for a SimpleX name that the first relay does not know`() async throws {
        let relays = [try await TestRelay(names: [:]), try await TestRelay(names: [:])]
        let agent = try await TestAgent(relays[0].address, proxy: ProxyPolicy(mode: .neverProxied))
        let error = await #expect(throws: AgentError.self) {
            try await agent.agent.resolveName(name, user: agent.user, at: relays.map(\.address))
        }
        guard case .smp(_, .name(.notFound)) = error else { throw AgentError.internal("\(String(describing: error))") }
        #expect(counterValue("names_requested", relays[0]) + counterValue("names_requested", relays[1]) == 1)
    }

    @Test
    func `A malformed SimpleX name record from a relay is refused`() async throws {
        let relay = try await TestRelay(names: [name: Array("{}".utf8)])
        let agent = try await TestAgent(relay.address, proxy: ProxyPolicy(mode: .neverProxied))
        await #expect(throws: AgentError.self) {
            try await agent.agent.resolveName(name, user: agent.user, at: [relay.address])
        }
    }
}
