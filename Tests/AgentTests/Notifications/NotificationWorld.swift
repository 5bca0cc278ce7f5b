import NTF
import NTFTestSupport
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Two connected agents and a notification server. Alice has a device with a token.
struct NotificationWorld {
    static let token = PushToken(service: .test, text: "abab")

    let relay: TestRelay
    let server: NotificationServer
    let alice: TestAgent
    let bob: TestAgent
    let aliceID: ConnectionID
    let bobID: ConnectionID

    init(_ fault: NotificationServer.Fault? = nil) async throws {
        relay = try await TestRelay()
        let server = try await NotificationServer(fault)
        self.server = server
        alice = try await Self.makeAgent(relay, server)
        bob = try await TestAgent(relay.address)
        (aliceID, bobID) = try await connect(alice, bob)
    }

    static func makeAgent(
        _ relay: TestRelay,
        _ server: NotificationServer,
        folder: TemporaryFolder? = nil,
        user: AgentUserID? = nil
    ) async throws -> TestAgent {
        try await TestAgent(relay.address, folder: folder, user: user) { configuration in
            configuration.notificationServers = [server.server]
            configuration.clientConfiguration.transport.responseTimeout = .seconds(5)
        }
    }

    /// Starts alice's agent again from its files, as after a crash of the process.
    func restartAlice() async throws -> TestAgent {
        await alice.agent.close()
        return try await Self.makeAgent(relay, server, folder: alice.folder, user: alice.user)
    }

    func stopAll() async {
        await alice.agent.close()
        await bob.agent.close()
        await server.stop()
        await relay.relay.stopAndWait()
    }

    /// Registers the token, and verifies it with the pushed code.
    func activateToken(_ agent: TestAgent? = nil, mode: NotificationMode = .instant) async throws {
        let agent = (agent ?? alice).agent
        #expect(try await agent.registerToken(Self.token, mode: mode) == .registered)
        try await verifyToken(agent)
        #expect(try await agent.fetchNotificationToken().status == .active)
    }

    func verifyToken(_ agent: Agent) async throws {
        let push = try #require(server.pushes.last { $0.kind == .verification })
        try await agent.verifyToken(push.token, nonce: BoxNonce(padding: push.nonce), code: push.sealedContent)
    }

    /// Waits until the server has `count` subscriptions.
    func waitForSubscriptions(_ count: Int) async throws {
        try await waitUntil("\(count) subscriptions, \(server.commands)") { server.subscriptionCount == count }
    }

    func messagePushes() -> [NotificationServer.Push] { server.pushes.filter { $0.kind == .message } }

    func waitForPush(_ count: Int) async throws -> NotificationServer.Push {
        try await waitUntil("\(count) pushes of messages") { messagePushes().count >= count }
        return messagePushes()[count - 1]
    }

    func readInfos(_ push: NotificationServer.Push, _ agent: TestAgent? = nil) async throws -> [NotificationInfo] {
        try await (agent ?? alice).agent.findNotifiedConnections(
            nonce: BoxNonce(padding: push.nonce),
            box: push.sealedContent
        )
    }

    /// Returns the next action of each row in the table of subscriptions.
    func readActions(_ agent: TestAgent? = nil) async throws -> [String] {
        try await (agent ?? alice).agent.database.read { db in
            try db.query("SELECT action FROM ntf_subscriptions ORDER BY queue_id").map { try $0.string("action") }
        }
    }
}
