import NIOPosix
import SMP
import SMPRelay
import TestSupport
import Testing

@testable import Agent

/// Network settings that change while an agent runs.
@Suite(.socketTimeLimit) struct NetworkTests {
    @Test
    func `After a change of network settings, messages arrive over new sessions`() async throws {
        let relay = try await TestRelay()
        let (alice, bob) = (try await TestAgent(relay.address), try await TestAgent(relay.address))
        let (aliceID, bobID) = try await connect(alice, bob)
        var settings = bob.agent.networkSettings
        settings.clientConfiguration.maxSilentTimeouts = 7
        bob.agent.setNetworkSettings(settings)
        _ = try await bob.waitForFirst("down") { if case .down(_, [bobID]) = $0 { true } else { nil } }
        _ = try await bob.waitForFirst("up again") { if case .up(_, [bobID]) = $0 { true } else { nil } }
        try await alice.send(["one"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["one"])
    }

    @Test
    func `Messages arrive after each change of the transport session mode`() async throws {
        let relay = try await TestRelay()
        let (alice, bob) = (try await TestAgent(relay.address), try await TestAgent(relay.address))
        let first = try await connect(alice, bob)
        var settings = bob.agent.networkSettings
        settings.sessionMode = .entity
        bob.agent.setNetworkSettings(settings)
        let second = try await connect(alice, bob)
        try await alice.send(["by one"], on: first.0)
        try await alice.send(["by two"], on: second.0)
        #expect(Set(try await bob.waitForTexts(2)) == ["by one", "by two"])
        try await bob.send(["answer one"], on: first.1)
        try await bob.send(["answer two"], on: second.1)
        _ = try await alice.waitForTexts(2)
        let keys = try bob.agent.requireOnline().clients.sessionKeys
        #expect(Set(keys.compactMap(\.separateConnection)) == [first.1, second.1])
        settings.sessionMode = .session
        bob.agent.setNetworkSettings(settings)
        try await alice.send(["by one again"], on: first.0)
        #expect(try await bob.waitForTexts(3).last == "by one again")
        #expect(try bob.agent.requireOnline().clients.sessionKeys.map(\.separateConnection) == [nil])
    }

    @Test
    func `Relay sessions that the session mode keeps separate have different SOCKS user names`() throws {
        let (one, other) = (
            try ProtocolServer(parsing: "smp://q83vmA==@one.example"),
            try ProtocolServer(parsing: "smp://q83vmA==@other.example")
        )
        let (a, b) = (ConnectionID(), ConnectionID())
        func name(
            _ user: AgentUserID,
            _ server: ProtocolServer,
            _ entity: ConnectionID?,
            _ mode: NetworkSettings.SessionMode,
            _ epoch: UInt8 = 1
        ) -> String {
            RelayClients.makeSOCKSUserName(
                .init(relay: .init(user: user, server: server), separateConnection: entity),
                mode: mode,
                epoch: [epoch]
            )
        }
        for mode in NetworkSettings.SessionMode.allCases {
            #expect(name(1, one, nil, mode) != name(2, one, nil, mode))
            #expect((name(1, one, nil, mode) == name(1, one, nil, mode, 2)) == (mode == .user))
            #expect((name(1, one, nil, mode) == name(1, other, nil, mode)) == (mode == .user || mode == .session))
        }
        #expect(name(1, one, a, .entity) != name(1, one, b, .entity))
    }

    @Test
    func `Messages wait while the network is down, and arrive when the network is back`() async throws {
        let relay = try await TestRelay()
        let (alice, bob) = (try await TestAgent(relay.address), try await TestAgent(relay.address))
        let (aliceID, bobID) = try await connect(alice, bob)
        bob.agent.setNetworkInfo(isOnline: false, isSlow: false)
        #expect(!bob.agent.isOnline)
        try bob.agent.replaceAllSessions()
        _ = try await bob.waitForFirst("down") { if case .down(_, [bobID]) = $0 { true } else { nil } }
        try await bob.send(["from nowhere"], on: bobID)
        // Bob's waiting message does not delay alice's message, and bob's queue stores the arriving message.
        try await alice.send(["meanwhile"], on: aliceID)
        _ = try await alice.waitForFirst("sent") { if case .sent(aliceID, _, _, _) = $0 { true } else { nil } }
        #expect(!bob.events.contains { if case .message = $0 { true } else { false } })
        #expect(
            !bob.events.contains { if case .sent(_, _, let id, _) = $0 { id.hasSuffix("from nowhere") } else { false } }
        )
        bob.agent.setNetworkInfo(isOnline: true, isSlow: true)
        // This report comes too soon after the last report, so the agent ignores it.
        bob.agent.setNetworkInfo(isOnline: false, isSlow: true)
        #expect(bob.agent.isOnline)
        #expect(try await bob.waitForTexts(1) == ["meanwhile"])
        #expect(try await alice.waitForTexts(1) == ["from nowhere"])
    }

    @Test
    func `A reconnection to one relay does not interrupt the sessions with other relays`() async throws {
        let relays = (try await TestRelay(), try await TestRelay())
        let (alice, bob) = (try await TestAgent(relays.0.address), try await TestAgent(relays.0.address))
        let first = try await connect(alice, bob)
        try await bob.setServers(relays: [AgentServer(relays.1.address)])
        let second = try await connect(alice, bob)
        try bob.agent.replaceSessions(bob.user, relays.1.address)
        _ = try await bob.waitForFirst("down") { if case .down(_, [second.1]) = $0 { true } else { nil } }
        _ = try await bob.waitForFirst("up") { if case .up(_, [second.1]) = $0 { true } else { nil } }
        #expect(!bob.events.contains { if case .down(_, [first.1]) = $0 { true } else { false } })
    }
}
