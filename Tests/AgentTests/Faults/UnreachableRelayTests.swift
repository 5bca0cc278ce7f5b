import SMP
import TestSupport
import Testing

@testable import Agent

/// Relays that cannot be used for some time. Another server answers in their place, for example at a login page or at a
/// reassigned address, or the relay has no common version.
@Suite(.socketTimeLimit) struct UnreachableRelayTests {
    @Test
    func `Messages wait while a server with another certificate answers at the address of their relay`() async throws {
        let relay = try await TestRelay()
        let port = Int(try #require(relay.address.portNumber))
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, bob)
        await relay.relay.stopAndWait()
        let foreign = try await TestRelay(port: port)
        try await alice.send(["1", "2"], on: aliceID)
        let address = relay.address.withoutPassword.str
        for agent in [alice, bob] {
            // A command with a waiting caller is not repeated: the caller gets the error.
            await #expect(throws: AgentError.broker(server: address, .network(.unknownCA))) {
                _ = try await agent.agent.createInvitation(user: agent.user)
            }
        }
        #expect(
            foreign.relay.counts.queues == 0
                && foreign.relay.statistics.counters.contains { $0.name == "sessions" && $0.value == 0 }
        )
        await foreign.relay.stopAndWait()
        let back = try await TestRelay(folder: relay.folder, port: port)
        #expect(try await bob.waitForTexts(2) == ["1", "2"])
        try await bob.send(["3"], on: bobID)
        #expect(try await alice.waitForTexts(1) == ["3"])
        #expect(alice.errors.isEmpty && bob.errors.isEmpty)
        await back.relay.stopAndWait()
    }

    @Test
    func `If the relay used as the proxy is down, messages go through another relay of the user`() async throws {
        let own = [try await TestRelay(), try await TestRelay()], far = try await TestRelay()
        let alice = try await TestAgent(own[0].address), bob = try await TestAgent(far.address)
        try await alice.setServers(relays: own.map { AgentServer($0.address) })
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["1"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["1"])
        let used = try #require(own.first { ($0.relay.statistics["forwarded"] ?? 0) > 0 })
        await used.relay.stopAndWait()
        try await alice.send(["2", "3"], on: aliceID)
        #expect(try await bob.waitForTexts(3) == ["1", "2", "3"])
        #expect(
            bob.errors.isEmpty
                && own.contains { $0.address != used.address && ($0.relay.statistics["forwarded"] ?? 0) > 0 }
        )
    }

    @Test
    func `A new connection waits without an error until relay and client have a common SMP version`() async throws {
        let relay = try await TestRelay(),
            young = try await TestRelay(versions: ProtocolVersionRange(SMPVersion(9), SMPVersion(18)))
        let alice = try await TestAgent(
            relay.address,
            versions: ProtocolVersionRange(SMPVersion(6), SMPVersion(8)),
            proxy: ProxyPolicy(mode: .neverProxied)
        )
        let bob = try await TestAgent(young.address, proxy: ProxyPolicy(mode: .neverProxied))
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: [1])
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        try await waitUntil("the younger relay was tried in vain") {
            alice.agent.serverStates().1.contains {
                $0.server == young.address.withoutPassword && $0.failedSessions > 0
            }
        }
        var settings = alice.agent.networkSettings
        settings.clientConfiguration.versions = SupportedVersions.client
        alice.agent.setNetworkSettings(settings)
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    }
}
