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
    func `If the registration of a push token is repeated after a lost answer, the server makes no second token`()
        async throws
    {
        let world = try await World(.losesAnswer("TNEW"))
        await #expect(throws: AgentError.self) {
            _ = try await world.alice.agent.registerToken(World.token, mode: .instant)
        }
        #expect(try await world.alice.agent.fetchNotificationToken().status == .new)
        world.server.fault = nil
        let alice = try await world.restartAlice()
        #expect(try await alice.agent.fetchNotificationToken().status == .new)
        #expect(try await alice.agent.registerToken(World.token, mode: .instant) == .registered)
        #expect(world.server.tokenCount == 1)
        try await world.verifyToken(alice.agent)
        try await world.waitForSubscriptions(1)
        await alice.agent.close()
        await world.stopAll()
    }

    @Test
    func `If the verification of a push token gets no answer, the next registration makes the token active`()
        async throws
    {
        let world = try await World(.losesAnswer("TVFY"))
        #expect(try await world.alice.agent.registerToken(World.token, mode: .instant) == .registered)
        await #expect(throws: AgentError.self) { try await world.verifyToken(world.alice.agent) }
        #expect(try await world.alice.agent.fetchNotificationToken().status == .confirmed)
        world.server.fault = nil
        let alice = try await world.restartAlice()
        #expect(try await alice.agent.fetchNotificationToken().status == .confirmed)
        #expect(try await alice.agent.registerToken(World.token, mode: .instant) == .active)
        try await world.waitForSubscriptions(1)
        await alice.agent.close()
        await world.stopAll()
    }

    @Test(arguments: [NotificationServer.Fault.losesAnswer("SNEW"), .closes("SNEW"), .garbles("SNEW")])
    func `If the answer to a notification subscription is lost, a second request makes no second subscription`(
        fault: NotificationServer.Fault
    ) async throws {
        let world = try await World(fault)
        try await world.activateToken()
        try await waitUntil("attempts") { world.server.commands.count { $0 == "SNEW" } >= 3 }
        world.server.fault = nil
        try await world.waitForSubscriptions(1)
        try await waitUntil("subscription") { try await world.readActions() == ["check"] }
        try await world.bob.send(["hello"], on: world.bobID)
        _ = try await world.waitForPush(1)
        await world.stopAll()
    }

    @Test
    func `If the agent stops while it subscribes to notifications, the next start completes the subscriptions`()
        async throws
    {
        let world = try await World(.closes("SNEW"))
        try await world.activateToken()
        try await waitUntil("notifier, and no subscription") { try await world.readActions() == ["create"] }
        await world.alice.agent.stop()
        world.server.fault = nil
        let alice = try await world.restartAlice()
        try await world.waitForSubscriptions(1)
        await alice.agent.close()
        await world.stopAll()
    }

    @Test
    func `A notification subscription that the server refused is not requested again`() async throws {
        let world = try await World(.refuses("SNEW", .auth))
        try await world.activateToken()
        try await waitUntil("begins later") {
            let isLater = try await world.readActions() == ["key"]
            return isLater && world.server.commands.contains("SNEW")
        }
        world.alice.agent.startNotificationRound()
        try await waitUntil("interval") { world.server.commands.contains("TCRN") }
        #expect(world.server.commands.count { $0 == "SNEW" } == 1)
        await world.stopAll()
    }

    @Test(arguments: [0, 9_999_999_999])
    func `If the notification server loses a subscription, the next check creates the subscription again`(
        due: Int64
    ) async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        try await waitUntil("subscription") { try await world.readActions() == ["check"] }
        // `due` simulates a check a day later, or a clock that was set back by years. The server has lost the
        // subscription.
        world.server.fault = .refuses("SCHK", .auth)
        let before = world.server.commands.count { $0 == "SNEW" }
        try await world.alice.agent.database.write { db in
            try db.execute("UPDATE ntf_subscriptions SET action_at = ?", due)
        }
        world.alice.agent.startNotificationRound()
        try await waitUntil("made again") { world.server.commands.count { $0 == "SNEW" } == before + 1 }
        try await waitUntil("subscription") { try await world.readActions() == ["check"] }
        await world.stopAll()
    }

    @Test
    func `If the deletion of a push token fails, the token is deleted after the next start`() async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        world.server.fault = .closes("TDEL")
        try await world.alice.agent.deleteToken(World.token)
        try await waitUntil("attempt") { world.server.commands.contains("TDEL") }
        world.server.fault = nil
        let alice = try await world.restartAlice()
        try await waitUntil("deleted") { world.server.tokenCount == 0 }
        await alice.agent.close()
        await world.stopAll()
    }

    @Test(arguments: [
        NotificationServer.Fault.silent, .garbageHello, .otherSession, .forgedKey, .futureVersion, .ignores("TNEW"),
        .closes("TNEW"), .garbles("TNEW"),
        .confuses("TNEW"), .refuses("TNEW", .quota), .refuses("TNEW", .auth),
    ])
    func `The registration of a push token fails after a faulty answer, and the next registration succeeds`(
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
        #expect(try await agent.agent.fetchNotificationToken().status == .new)
        server.fault = nil
        // On a busy machine the short timeouts can also end before a correct answer arrives.
        try await waitUntil("registered") {
            (try? await agent.agent.registerToken(World.token, mode: .instant)) == .registered
        }
        await agent.agent.close()
        await server.stop()
    }

    @Test
    func `The test of a notification server registers a push token without a push, and deletes the token`() async throws
    {
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
