import NTF
import NTFTestSupport
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Faulty servers, lost answers, and agents that end between two steps. Started work continues.
@Suite(.socketTimeLimit) struct NotificationFaultTests {
    private typealias World = NotificationWorld

    @Test
    func `A registration that is repeated after a lost answer makes no second token on the server`() async throws {
        let world = try await World(.losesAnswer("TNEW"))
        await #expect(throws: AgentError.self) {
            _ = try await world.alice.agent.registerToken(World.token, mode: .instant)
        }
        #expect(try await world.alice.agent.notificationToken().status == .new)
        world.server.fault = nil
        let alice = try await world.restarted()
        #expect(try await alice.agent.notificationToken().status == .new)
        #expect(try await alice.agent.registerToken(World.token, mode: .instant) == .registered)
        #expect(world.server.tokenCount == 1)
        try await world.verify(alice.agent)
        try await world.subscribed(1)
        await alice.agent.close()
        await world.stop()
    }

    @Test
    func `A token whose verification got no answer becomes active with the next registration`() async throws {
        let world = try await World(.losesAnswer("TVFY"))
        #expect(try await world.alice.agent.registerToken(World.token, mode: .instant) == .registered)
        await #expect(throws: AgentError.self) { try await world.verify(world.alice.agent) }
        #expect(try await world.alice.agent.notificationToken().status == .confirmed)
        world.server.fault = nil
        let alice = try await world.restarted()
        #expect(try await alice.agent.notificationToken().status == .confirmed)
        #expect(try await alice.agent.registerToken(World.token, mode: .instant) == .active)
        try await world.subscribed(1)
        await alice.agent.close()
        await world.stop()
    }

    @Test(arguments: [NotificationServer.Fault.losesAnswer("SNEW"), .closes("SNEW"), .garbage("SNEW")])
    func `A subscription whose answer was lost is requested again, and exists once on the server`(
        fault: NotificationServer.Fault
    ) async throws {
        let world = try await World(fault)
        try await world.activate()
        try await eventually("attempts") { world.server.commands.count { $0 == "SNEW" } >= 3 }
        world.server.fault = nil
        try await world.subscribed(1)
        try await eventually("subscription") { try await world.actions() == ["check"] }
        try await world.bob.send(["hello"], on: world.bobID)
        _ = try await world.pushed(1)
        await world.stop()
    }

    @Test
    func `Subscriptions that were interrupted by the end of the agent are completed at the next start`() async throws {
        let world = try await World(.closes("SNEW"))
        try await world.activate()
        try await eventually("notifier, and no subscription") { try await world.actions() == ["create"] }
        await world.alice.agent.stop()
        world.server.fault = nil
        let alice = try await world.restarted()
        try await world.subscribed(1)
        await alice.agent.close()
        await world.stop()
    }

    @Test
    func `A subscription that the notification server refuses is not requested again`() async throws {
        let world = try await World(.refuses("SNEW", .auth))
        try await world.activate()
        try await eventually("begins later") {
            let isLater = try await world.actions() == ["key"]
            return isLater && world.server.commands.contains("SNEW")
        }
        world.alice.agent.reviewNotifications()
        try await eventually("interval") { world.server.commands.contains("TCRN") }
        #expect(world.server.commands.count { $0 == "SNEW" } == 1)
        await world.stop()
    }

    @Test(arguments: [0, 9_999_999_999])
    func `A subscription that the server has lost is created again by the next check`(due: Int64) async throws {
        let world = try await World()
        try await world.activate()
        try await world.subscribed(1)
        try await eventually("subscription") { try await world.actions() == ["check"] }
        // `due` simulates a check a day later, or a clock that was set back by years. The server has lost the
        // subscription.
        world.server.fault = .refuses("SCHK", .auth)
        let before = world.server.commands.count { $0 == "SNEW" }
        try await world.alice.agent.database.write { db in
            try db.execute("UPDATE ntf_subscriptions SET action_at = ?", due)
        }
        world.alice.agent.reviewNotifications()
        try await eventually("made again") { world.server.commands.count { $0 == "SNEW" } == before + 1 }
        try await eventually("subscription") { try await world.actions() == ["check"] }
        await world.stop()
    }

    @Test
    func `A token whose deletion failed is deleted after the next start`() async throws {
        let world = try await World()
        try await world.activate()
        try await world.subscribed(1)
        world.server.fault = .closes("TDEL")
        try await world.alice.agent.deleteToken(World.token)
        try await eventually("attempt") { world.server.commands.contains("TDEL") }
        world.server.fault = nil
        let alice = try await world.restarted()
        try await eventually("deleted") { world.server.tokenCount == 0 }
        await alice.agent.close()
        await world.stop()
    }

    @Test(arguments: [
        NotificationServer.Fault.silent, .garbageHello, .otherSession, .forgedKey, .futureVersion, .ignores("TNEW"),
        .closes("TNEW"), .garbage("TNEW"),
        .confuses("TNEW"), .refuses("TNEW", .quota), .refuses("TNEW", .auth),
    ])
    func `A faulty answer makes a registration fail, and the next registration succeeds`(
        fault: NotificationServer.Fault
    ) async throws {
        let server = try await NotificationServer(fault)
        // The agent connects to no relay, since it has no queues.
        let agent = try await TestAgent(ProtocolServer(parsing: "smp://q83vmA==@127.0.0.1:1")) { configuration in
            configuration.notificationServers = [server.server]
            configuration.clientConfiguration.transport.connectTimeout = .seconds(1)
            configuration.clientConfiguration.transport.interactiveConnectTimeout = .milliseconds(500)
            configuration.clientConfiguration.transport.interactiveResponseTimeout = .milliseconds(500)
        }
        do {
            _ = try await agent.agent.registerToken(World.token, mode: .instant)
            Issue.record("the token was registered")
        } catch let error as AgentError {
            switch error {
            case .broker, .ntf: #expect(!"\(error)".contains(World.token.text))
            default: Issue.record("\(error)")
            }
        }
        #expect(try await agent.agent.notificationToken().status == .new)
        server.fault = nil
        // On a busy machine the short timeouts can also end before a correct answer arrives.
        try await eventually("registered") {
            (try? await agent.agent.registerToken(World.token, mode: .instant)) == .registered
        }
        await agent.agent.close()
        await server.stop()
    }

    @Test
    func `The test of a notification server registers a token without a push, and deletes it`() async throws {
        let server = try await NotificationServer()
        let agent = try await TestAgent(ProtocolServer(parsing: "smp://q83vmA==@127.0.0.1:1"))
        #expect(try await agent.agent.testServer(server.server, user: agent.user) == nil)
        #expect(server.commands == ["TNEW", "TDEL"] && server.tokenCount == 0 && server.pushes.isEmpty)
        server.fault = .refuses("TDEL", .internal)
        let failure = try #require(try await agent.agent.testServer(server.server, user: agent.user))
        #expect(failure.step == .deleteNtfToken && failure.error == .ntf(server: server.server.str, .internal))
        await server.stop()
        #expect(try await agent.agent.testServer(server.server, user: agent.user)?.step == .connect)
        await agent.agent.close()
    }
}
