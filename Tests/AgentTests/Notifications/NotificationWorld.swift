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
        alice = try await Self.agent(relay, server)
        bob = try await TestAgent(relay.address)
        (aliceID, bobID) = try await connect(alice, bob)
    }

    static func agent(
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
    func restarted() async throws -> TestAgent {
        await alice.agent.close()
        return try await Self.agent(relay, server, folder: alice.folder, user: alice.user)
    }

    func stop() async {
        await alice.agent.close()
        await bob.agent.close()
        await server.stop()
        await relay.relay.stop()
    }

    /// Registers the token, and verifies it with the pushed code.
    func activate(_ agent: TestAgent? = nil, mode: NotificationMode = .instant) async throws {
        let agent = (agent ?? alice).agent
        #expect(try await agent.registerToken(Self.token, mode: mode) == .registered)
        try await verify(agent)
        #expect(try await agent.notificationToken().status == .active)
    }

    func verify(_ agent: Agent) async throws {
        let push = try #require(server.pushes.last { $0.content == .verification })
        try await agent.verifyToken(push.token, nonce: BoxNonce(padding: push.nonce), code: push.box)
    }

    /// Waits until the server has `count` subscriptions.
    func subscribed(_ count: Int) async throws {
        try await eventually("\(count) subscriptions, \(server.commands)") { server.subscriptionCount == count }
    }

    func messagePushes() -> [NotificationServer.Push] { server.pushes.filter { $0.content == .message } }

    func pushed(_ count: Int) async throws -> NotificationServer.Push {
        try await eventually("\(count) pushes of messages") { messagePushes().count >= count }
        return messagePushes()[count - 1]
    }

    func infos(_ push: NotificationServer.Push, _ agent: TestAgent? = nil) async throws -> [NotificationInfo] {
        try await (agent ?? alice).agent.notificationConnections(nonce: BoxNonce(padding: push.nonce), box: push.box)
    }

    /// Returns the next action of each row in the table of subscriptions.
    func actions(_ agent: TestAgent? = nil) async throws -> [String] {
        try await (agent ?? alice).agent.database.read { db in
            try db.query("SELECT action FROM ntf_subscriptions ORDER BY queue_id").map { try $0.string("action") }
        }
    }
}
