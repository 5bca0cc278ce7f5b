import SMP
import TestSupport
import Testing

@testable import Agent

/// Connections over relays and sessions of every SMP version, and over two relays with different versions.
@Suite(.serialized, .socketTimeLimit) struct VersionTests {
    private static func singleVersion(_ version: UInt16) -> ProtocolVersionRange { ProtocolVersionRange(version) }

    /// Connects the agents, and sends messages in both directions.
    private func connectAndExchange(_ alice: TestAgent, _ bob: TestAgent) async throws {
        let (aliceID, bobID) = try await connect(alice, bob)
        try await alice.send(["to bob 1", "to bob 2"], on: aliceID)
        try await bob.send(["to alice 1", "to alice 2"], on: bobID)
        #expect(try await bob.waitForTexts(2) == ["to bob 1", "to bob 2"])
        #expect(try await alice.waitForTexts(2) == ["to alice 1", "to alice 2"])
        await alice.agent.close()
        await bob.agent.close()
    }

    @Test(arguments: UInt16(6)...20)
    func `Two agents of the same SMP version connect and exchange messages`(version: UInt16) async throws {
        let relay = try await TestRelay()
        try await connectAndExchange(
            try await TestAgent(relay.address, versions: Self.singleVersion(version)),
            try await TestAgent(relay.address, versions: Self.singleVersion(version))
        )
        await relay.relay.stopAndWait()
    }

    @Test(arguments: [(6, 18), (18, 6), (8, 9), (9, 8), (10, 17), (16, 11), (20, 18), (18, 20)] as [(UInt16, UInt16)])
    func `Two agents of different SMP versions connect and exchange messages`(
        inviter: UInt16,
        joiner: UInt16
    ) async throws {
        let relay = try await TestRelay()
        try await connectAndExchange(
            try await TestAgent(relay.address, versions: Self.singleVersion(inviter)),
            try await TestAgent(relay.address, versions: Self.singleVersion(joiner))
        )
        await relay.relay.stopAndWait()
    }

    @Test(arguments: [8, 11, 15, 18, 20] as [UInt16])
    func `Agents with different relays each send messages through their own relay as the proxy`(
        version: UInt16
    ) async throws {
        let relays = (try await TestRelay(), try await TestRelay())
        let range = ProtocolVersionRange(SMPVersion(min(version, 17)), SMPVersion(version))
        try await connectAndExchange(
            try await TestAgent(relays.0.address, versions: range),
            try await TestAgent(relays.1.address, versions: range)
        )
        for relay in [relays.0.relay, relays.1.relay] {
            #expect((relay.statistics["forwarded"] ?? 0) > 2 && (relay.statistics["forwarded_received"] ?? 0) > 2)
        }
        await relays.0.relay.stopAndWait()
        await relays.1.relay.stopAndWait()
    }

    @Test
    func `Messages to a relay without support for forwarding are sent directly if the proxy policy allows it`()
        async throws
    {
        let relays = (
            try await TestRelay(), try await TestRelay(versions: ProtocolVersionRange(SMPVersion(6), SMPVersion(7)))
        )
        let policy = ProxyPolicy(mode: .onlyUnknownRelays, fallback: .allow)
        try await connectAndExchange(
            try await TestAgent(relays.0.address, proxy: policy),
            try await TestAgent(relays.1.address, proxy: policy)
        )
        #expect(relays.0.relay.statistics["forwarded"] == 0)
        await relays.0.relay.stopAndWait()
        await relays.1.relay.stopAndWait()
    }

    @Test
    func `Messages wait while the recipient's relay is down, and arrive in order after the relay's restart`()
        async throws
    {
        let relays = (try await TestRelay(), try await TestRelay())
        let alice = try await TestAgent(relays.0.address), bob = try await TestAgent(relays.1.address)
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["0"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["0"])
        await relays.1.relay.stopAndWait()
        let texts = (1...10).map { "\($0)" }
        try await alice.send(texts, on: aliceID)
        try await waitUntil("the proxy has tried, and has said that it cannot") {
            relays.0.relay.statistics["forwarded_failed"] != 0
                || relays.0.relay.statistics["proxy_connections_failed"] != 0
        }
        let again = try await TestRelay(folder: relays.1.folder, port: Int(relays.1.address.portNumber ?? 0))
        #expect(try await bob.waitForTexts(11) == ["0"] + texts)
        await alice.agent.close()
        await bob.agent.close()
        await again.relay.stopAndWait()
        await relays.0.relay.stopAndWait()
    }
}
