import NTF
import NTFTestSupport
import SMP
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Pushes, from the token to the message, with a relay and a notification server.
@Suite(.socketTimeLimit) struct NotificationTests {
    private typealias World = NotificationWorld

    @Test
    func `A received message causes a push with the ids of its connection and of the message`() async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        try await waitUntil("interval") { world.server.commands.contains("TCRN") }
        try await world.bob.send(["hello"], on: world.bobID)
        let meta = try await world.alice.waitForFirst("message") {
            if case .message(_, let meta, _, _) = $0 { meta } else { nil }
        }
        let push = try await world.waitForPush(1)
        #expect(push.token == World.token)
        let info = try #require(try await world.readInfos(push).first)
        #expect(info.connection == world.aliceID)
        #expect(
            info.message == NotificationMeta(messageID: meta.brokerInfo.id, timestamp: meta.brokerInfo.timestampSeconds)
        )
        // The fetch is refused, because the agent is subscribed to the queue.
        let refused = try await world.alice.agent.fetchWaitingMessages([
            WaitingMessageRequest(
                connection: info.connection,
                queueID: info.queueID,
                timestamp: meta.brokerInfo.timestampSeconds
            )
        ])
        #expect(
            refused == [
                .failure(
                    .command(
                        .prohibited,
                        context: "getConnectionMessage: the queue is subscribed, so its messages arrive by themselves"
                    )
                )
            ]
        )
        await world.stopAll()
    }

    @Test
    func `Notification subscriptions are added and removed with the connections and their queues`() async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        let (second, _) = try await connect(world.alice, world.bob)
        try await world.waitForSubscriptions(2)
        try await world.alice.agent.delete(connections: [second], waitDelivery: false)
        try await waitUntil("one subscription is left") { try await world.readActions() == ["check"] }
        let before = world.server.commands.count { $0 == "SNEW" }
        _ = try await world.alice.agent.switchConnection(world.aliceID)
        _ = try await world.alice.waitForFirst("queue changed") { event -> Bool? in
            if case .queueSwitchChanged(_, let change) = event, change.direction == .rcv, change.phase == .completed {
                true
            } else {
                nil
            }
        }
        try await waitUntil("subscription of the new queue") {
            let actions = try await world.readActions()
            return world.server.commands.count { $0 == "SNEW" } == before + 1 && actions == ["check"]
        }
        // The steps of the change have also caused pushes, so only later pushes count.
        let earlier = world.messagePushes().count
        try await world.bob.send(["over the new queue"], on: world.bobID)
        let push = try await world.waitForPush(earlier + 1)
        #expect(try await world.readInfos(push).first?.connection == world.aliceID)
        await world.stopAll()
    }

    @Test
    func `A connection has a notifier only while it is unmuted and the push token is for instant pushes`() async throws
    {
        let relay = try await TestRelay()
        let server = try await NotificationServer()
        let muted = Mutex<Set<ConnectionID>>([])
        let alice = try await World.makeAgent(relay, server)
        let bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, bob)
        await alice.agent.stop()
        try await alice.agent.start(muted: { muted.withLock { $0 } }, handler: { _ in })
        func actions() async throws -> [String] {
            try await alice.agent.database.read { db in
                try db.query("SELECT action FROM ntf_subscriptions").map { try $0.string("action") }
            }
        }
        #expect(try await alice.agent.registerToken(World.token, mode: .instant) == .registered)
        let code = try #require(server.pushes.last)
        try await alice.agent.verifyToken(World.token, nonce: BoxNonce(padding: code.nonce), code: code.sealedContent)
        try await waitUntil("subscription") {
            let isDone = try await actions() == ["check"]
            return isDone && server.subscriptionCount == 1
        }
        muted.withLock { _ = $0.insert(aliceID) }
        alice.agent.startNotificationRound()
        try await waitUntil("no notifier") { try await actions().isEmpty }
        muted.withLock { $0 = [] }
        alice.agent.startNotificationRound()
        try await waitUntil("subscription again") { try await actions() == ["check"] }
        // The token stays the same. Only the mode changes.
        #expect(try await alice.agent.registerToken(World.token, mode: .periodic) == .active)
        try await waitUntil("no notifier with periodic pushes") { try await actions().isEmpty }
        #expect(try await alice.agent.registerToken(World.token, mode: .instant) == .active)
        try await waitUntil("subscription once more") { try await actions() == ["check"] }
        try await alice.agent.deleteToken(World.token)
        try await waitUntil("no subscription is left") {
            let isDone = try await actions().isEmpty
            return isDone && server.tokenCount == 0
        }
        await #expect(throws: AgentError.command(.prohibited, context: "getNtfToken")) {
            _ = try await alice.agent.fetchNotificationToken()
        }
        try await bob.send(["nobody is told"], on: bobID)
        _ = try await bob.waitForFirst("sent") { if case .sent = $0 { true } else { nil } }
        #expect(!server.pushes.contains { $0.kind == .message })
        await alice.agent.close()
        await bob.agent.close()
        await server.stop()
    }

    @Test
    func `A second push token replaces the first one and keeps its notification subscriptions`() async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        let other = PushToken(service: .test, text: "cdcd")
        #expect(try await world.alice.agent.registerToken(other, mode: .instant) == .registered)
        #expect(world.server.commands.contains("TRPL") && world.server.tokenCount == 1)
        await #expect(throws: AgentError.command(.prohibited, context: "checkNtfToken: another token is registered")) {
            _ = try await world.alice.agent.checkToken(World.token)
        }
        try await world.verifyToken(world.alice.agent)
        #expect(try await world.alice.agent.checkToken(other) == .active)
        try await world.bob.send(["hello"], on: world.bobID)
        #expect(try await world.waitForPush(1).token == other)
        #expect(world.server.commands.count { $0 == "SNEW" } == 1)
        // A server that has lost all data gets a new registration.
        world.server.removeAllTokens()
        #expect(try await world.alice.agent.registerToken(World.token, mode: .instant) == .registered)
        try await world.verifyToken(world.alice.agent)
        try await world.waitForSubscriptions(1)
        await world.stopAll()
    }

    @Test
    func `Commands about push tokens are refused without a registered token and with a different token`() async throws {
        let world = try await World()
        let agent = world.alice.agent
        await #expect(throws: AgentError.command(.prohibited, context: "checkNtfToken: no token")) {
            _ = try await agent.checkToken(World.token)
        }
        await #expect(throws: AgentError.command(.prohibited, context: "verifyNtfToken: no token")) {
            try await agent.verifyToken(World.token, nonce: .random(), code: [1])
        }
        await #expect(throws: AgentError.command(.prohibited, context: "deleteNtfToken: no token")) {
            try await agent.deleteToken(World.token)
        }
        await #expect(throws: AgentError.command(.prohibited, context: "getNotificationConns")) {
            _ = try await agent.findNotifiedConnections(nonce: .random(), box: [1])
        }
        #expect(try await agent.registerToken(World.token, mode: .instant) == .registered)
        await #expect(throws: AgentError.command(.prohibited, context: "verifyNtfToken: another token is registered")) {
            try await agent.verifyToken(PushToken(service: .test, text: "00"), nonce: .random(), code: [1])
        }
        await #expect(throws: AgentError.agent(.crypto(.decryptCB))) {
            try await agent.verifyToken(World.token, nonce: .random(), code: [1])
        }
        // The command needs an active token, and this token is not verified yet.
        await #expect(throws: AgentError.command(.prohibited, context: "getNotificationConns")) {
            _ = try await agent.findNotifiedConnections(nonce: .random(), box: [1])
        }
        // Bob's agent has no notification server, so bob cannot register a token.
        await #expect(throws: AgentError.command(.prohibited, context: "createToken")) {
            _ = try await world.bob.agent.registerToken(World.token, mode: .instant)
        }
        await world.stopAll()
    }

    @Test
    func `The notification server refuses a wrong verification code, and pushes a new code`() async throws {
        let world = try await World()
        let agent = world.alice.agent
        #expect(try await agent.registerToken(World.token, mode: .instant) == .registered)
        let secret = try await agent.database.read { db in try StoredToken.find(db)?.dhSecret }
        let nonce = BoxNonce.random()
        let forged = try NotificationBox.sealContent([1, 2, 3], secret: try #require(secret), nonce: nonce)
        await #expect(throws: AgentError.ntf(server: world.server.server.str, .auth)) {
            try await agent.verifyToken(World.token, nonce: nonce, code: forged)
        }
        #expect(try await agent.fetchNotificationToken().status == .registered)
        #expect(world.server.pushes.count { $0.kind == .verification } == 2)
        try await world.verifyToken(agent)
        #expect(try await agent.fetchNotificationToken().status == .active)
        await world.stopAll()
    }

    @Test
    func `A push notification that is forged, changed or about unknown queues is refused`() async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        try await world.bob.send(["hello"], on: world.bobID)
        let push = try await world.waitForPush(1)
        let agent = world.alice.agent
        let nonce = BoxNonce(padding: push.nonce)
        for box in makeMutations(of: push.sealedContent, count: 30) where box != push.sealedContent {
            await #expect(throws: AgentError.agent(.crypto(.decryptCB))) {
                _ = try await agent.findNotifiedConnections(nonce: nonce, box: box)
            }
        }
        let secret = try #require(try await agent.database.read { db in try StoredToken.find(db)?.dhSecret })
        func forged(_ content: [UInt8]) throws -> [UInt8] {
            try NotificationBox.sealContent(content, secret: secret, nonce: nonce)
        }
        let genuine = try NotificationBox.openContent(push.sealedContent, secret: secret, nonce: nonce)
        for content in makeMutations(of: genuine, count: 60) {
            // The agent reads or refuses any text from a server, and does not crash.
            do {
                #expect(try await agent.findNotifiedConnections(nonce: nonce, box: try forged(content)).count == 1)
            } catch let error as AgentError {
                guard case .internal = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        let news = try #require(try NotificationBox.parseNotifications(in: genuine).first)
        var unknown = news, unreadable = news
        unknown.address.notifierID = [1, 2, 3]
        unreadable.encMeta[0] ^= 1
        await #expect(throws: AgentError.internal("getNotificationConns: the queues of the notification are unknown")) {
            _ = try await agent.findNotifiedConnections(nonce: nonce, box: try forged(Array(unknown.str.utf8)))
        }
        // The last notification of the box is used, even if the part from its relay cannot be decrypted.
        let infos = try await agent.findNotifiedConnections(
            nonce: nonce,
            box: try NotificationBox.sealNotifications([unknown, unreadable], secret: secret, nonce: nonce)
        )
        #expect(infos.map(\.connection) == [world.aliceID] && infos.first?.message == nil)
        // A stored notification stays useful until its message arrives.
        _ = try await world.alice.waitForTexts(1)
        let repeated = try await agent.findNotifiedConnections(
            nonce: nonce,
            box: try NotificationBox.sealNotifications([news, news], secret: secret, nonce: nonce)
        )
        #expect(repeated.count == 1)
        await world.stopAll()
    }

    @Test
    func `An agent without subscriptions gets waiting messages one by one, each on request`() async throws {
        let world = try await World()
        try await world.activateToken()
        try await world.waitForSubscriptions(1)
        await world.alice.agent.stop()
        try await world.bob.send(["one", "two"], on: world.bobID)
        let push = try await world.waitForPush(2)
        let told = Mutex<[String]>([]), taken = Mutex<[[UInt8]]>([])
        let agent = world.alice.agent
        try await agent.start(subscribes: false) { events in
            for event in events {
                switch event {
                case .message(let id, let meta, _, let body):
                    told.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
                    agent.acknowledgeMessages(connection: id, messageIDs: [meta.recipientInfo.id], receipts: [])
                case .waitingMessageReceived(_, let id, _): taken.withLock { $0.append(id) }
                default: break
                }
            }
        }
        let info = try #require(try await world.readInfos(push).first)
        let request = WaitingMessageRequest(
            connection: info.connection,
            queueID: info.queueID,
            timestamp: info.message?.timestampSeconds
        )
        let first = try #require(try await agent.fetchWaitingMessages([request]).first).get()
        let second = try #require(try await agent.fetchWaitingMessages([request]).first).get()
        #expect(first != second && second == info.message)
        #expect(try await agent.fetchWaitingMessages([request]) == [.success(nil)])
        try await waitUntil("both messages are taken") {
            told.withLock { $0 } == ["one", "two"] && taken.withLock { $0.count } == 2
        }
        #expect(taken.withLock { $0 } == [first?.messageID, second?.messageID].compactMap(\.self))
        let unknown = try await agent.fetchWaitingMessages([
            WaitingMessageRequest(connection: ConnectionID(), queueID: 1, timestamp: nil)
        ])
        #expect(unknown.count == 1 && (try? unknown[0].get()) == nil)
        // The started agent receives messages again without a request.
        await agent.stop()
        let later = Mutex<[String]>([])
        try await agent.start { events in
            for case .message(_, _, _, let body) in events {
                later.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
            }
        }
        try await world.bob.send(["three"], on: world.bobID)
        try await waitUntil("the third message is taken") { later.withLock { $0 } == ["three"] }
        await world.stopAll()
    }
}
