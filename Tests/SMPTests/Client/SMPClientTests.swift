import SMP
import SMPTestSupport
import SimpleXCrypto
import Synchronization
import Testing
import TestSupport
import Transport

/// Activities of a client without a command: subscriptions, reconnection, events.
@Suite(.socketTimeLimit)
struct SMPClientTests {
    @Test
    func `A client reconnects after a lost session, and subscribes to its queues in the new session`() async throws {
        let peer = try await WaywardRelay.start(
            .answers { received, connection in
                guard (try? received.parseClientCommand()) == .sub else { return [.close] }
                return [.answer(.ok)]
            }
        )
        let events = EventQueue()
        let client = SMPClient(
            server: peer.server,
            configuration: .withShortReconnect,
            group: WaywardRelay.group,
            onEvent: events.handler
        )
        let queues = try (1...3).map { try makeUnknownQueue($0) }
        for result in await client.subscribeQueues(queues) { try result.get() }
        let ids = Set(queues.map(\.rcvID))
        let subscribed = { @Sendable (event: SMPClientEvent) -> Set<[UInt8]>? in
            if case .subscribed(let ids) = event { Set(ids) } else { nil }
        }
        #expect(try await events.waitForFirst(subscribed) == ids)
        await #expect(throws: SMPClientError.self) { try await client.sendPing() }
        let lost = try await events.waitForFirst { if case .disconnected(let ids, _) = $0 { Set(ids) } else { nil } }
        #expect(lost == ids)
        #expect(try await events.waitForFirst(subscribed) == ids)
        #expect(client.activeSubscriptions == ids)
        await client.close()
        await peer.stop()
    }

    @Test
    func `A command that is repeated as soon as its session is lost succeeds in a new session`() async throws {
        // The first, third, fifth… command ends its session.
        let commandCount = Mutex(0)
        let peer = try await WaywardRelay.start(
            .answers { _, _ in
                let count = commandCount.withLock { count in
                    count += 1
                    return count
                }
                return [count.isMultiple(of: 2) ? .answer(.pong) : .close]
            }
        )
        let client = SMPClient(server: peer.server, group: WaywardRelay.group) { _ in }
        for _ in 0..<20 {
            await #expect(throws: SMPClientError.self) { try await client.sendPing() }
            try await client.sendPing()
        }
        await client.close()
        await peer.stop()
    }

    @Test
    func `A subscription to an unknown queue fails with AUTH without affecting subscriptions to other queues`()
        async throws
    {
        let (good, bad) = try (makeUnknownQueue(1), makeUnknownQueue(2))
        let peer = try await WaywardRelay.start(
            .answers { [unknown = bad.rcvID] received, _ in
                [.answer(received.entityID == unknown ? .err(.auth) : .ok)]
            }
        )
        let events = EventQueue()
        let client = SMPClient(
            server: peer.server,
            configuration: .withShortReconnect,
            group: WaywardRelay.group,
            onEvent: events.handler
        )
        let results = await client.subscribeQueues([good, bad])
        #expect(throws: Never.self) { try results[0].get() }
        #expect(throws: SMPClientError.smp(.auth)) { try results[1].get() }
        #expect(client.activeSubscriptions == [good.rcvID])
        let failed = try await events.waitForFirst {
            if case .subscriptionFailed(let id, .smp(.auth)) = $0 { id } else { nil }
        }
        #expect(failed == bad.rcvID)
        await client.close()
        await peer.stop()
    }

    @Test
    func `A subscription that fails with a temporary error is tried again`() async throws {
        let attempts = Mutex(0)
        let peer = try await WaywardRelay.start(
            .answers { _, _ in
                attempts.withLock {
                    $0 += 1
                    return [.answer($0 < 3 ? .err(.internal) : .ok)]
                }
            }
        )
        let events = EventQueue()
        let client = SMPClient(
            server: peer.server,
            configuration: .withShortReconnect,
            group: WaywardRelay.group,
            onEvent: events.handler
        )
        let queue = try makeUnknownQueue()
        await client.subscribeQueues([queue])
        #expect(
            try await events.waitForFirst { if case .subscribed(let ids) = $0 { ids } else { nil } } == [queue.rcvID]
        )
        await client.close()
        await peer.stop()
    }

    @Test
    func `A client subscribes to its queues when a stopped relay starts again`() async throws {
        let credentials = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        let first = try await WaywardRelay(.silent, credentials: credentials)
        let port = try #require(first.server.portNumber)
        await first.stop()
        let events = EventQueue()
        let client = SMPClient(
            server: first.server,
            configuration: .withShortReconnect,
            group: WaywardRelay.group,
            onEvent: events.handler
        )
        let queue = try makeUnknownQueue()
        let results = await client.subscribeQueues([queue])
        #expect(throws: SMPClientError.self) { try results[0].get() }
        let second = try await WaywardRelay(
            .answers { _, _ in [.answer(.ok)] },
            credentials: credentials,
            port: Int(port)
        )
        #expect(
            try await events.waitForFirst { if case .subscribed(let ids) = $0 { ids } else { nil } } == [queue.rcvID]
        )
        await client.close()
        await second.stop()
    }

    @Test
    func `A client reports decrypted messages in order, and reports an undecryptable message`() async throws {
        let queue = try makeUnknownQueue()
        let bodies = try (0..<5).map { number in
            let id = [UInt8](repeating: UInt8(number), count: 24)
            let body = RcvMessageBody.message(timestamp: 100, flags: .none, body: [UInt8(number)])
            return BrokerMessage.msg(id: id, encBody: try body.seal(secret: queue.dhSecret, messageID: id))
        }
        let acknowledged = Counter()
        let peer = try await WaywardRelay.start(
            .answers { received, _ in
                guard (try? received.parseClientCommand()) != .sub else { return [.answer(bodies[0])] }
                let number = acknowledged.nextNumber()
                if number < bodies.count { return [.answer(bodies[number])] }
                let event = { (message: BrokerMessage) in
                    WaywardRelay.Reply.message(message, corrID: [], entityID: received.entityID)
                }
                return [.answer(.ok), event(.msg(id: [1], encBody: [1, 2, 3])), event(.end)]
            }
        )
        let events = EventQueue()
        let client = SMPClient(
            server: peer.server,
            configuration: .withShortReconnect,
            group: WaywardRelay.group,
            onEvent: events.handler
        )
        await client.subscribeQueues([queue])
        for number in 0..<5 {
            let message = try await events.waitForFirst { event -> RcvMessage? in
                if case .message(_, let message) = event { message } else { nil }
            }
            #expect(message.body == .message(timestamp: 100, flags: .none, body: [UInt8(number)]))
            try await client.acknowledgeMessage(rcvID: queue.rcvID, key: queue.key, messageID: message.id)
        }
        let bad = try await events.waitForFirst { if case .badMessage(_, _, let error) = $0 { error } else { nil } }
        #expect(bad == .decryption)
        #expect(
            try await events.waitForFirst { if case .subscriptionEnded(let id) = $0 { id } else { nil } } == queue.rcvID
        )
        await client.close()
        await peer.stop()
    }

    @Test
    func `Fifty concurrent commands of a client share one connection`() async throws {
        let connections = Mutex<Set<Int>>([])
        let peer = try await WaywardRelay.start(
            .answers { _, connection in
                connections.withLock { _ = $0.insert(connection) }
                return [.answer(.pong)]
            }
        )
        let client = SMPClient(server: peer.server, configuration: .withShortReconnect, group: WaywardRelay.group) {
            _ in
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await client.sendPing() } }
            try await group.waitForAll()
        }
        #expect(connections.withLock { $0 } == [1])
        await client.close()
        await peer.stop()
    }

    @Test
    func `Closing a client causes no event about a lost session`() async throws {
        let peer = try await WaywardRelay.start(.answers { _, _ in [.answer(.pong)] })
        let client = SMPClient(server: peer.server, configuration: .withShortReconnect, group: WaywardRelay.group) {
            event in
            if case .disconnected = event { Issue.record("the client reported the end of the session") }
        }
        try await client.sendPing()
        await client.close()
        await #expect(throws: SMPClientError.closed) { try await client.sendPing() }
        await peer.stop()
    }

    @Test
    func `The delay between a client's connection attempts grows to its limit, with jitter`() {
        let delays = SMPClientConfiguration().reconnectBackoff
        var random = SeededRandom(seed: 3)
        let values = (0..<40).map { delays.computeDelay(attempt: $0, using: &random) }
        #expect(values[0] < .seconds(1))
        #expect(values.allSatisfy { $0 > .zero && $0 <= delays.maxDelay * 1.25 })
        #expect(values[39] >= delays.maxDelay * 0.75)
        #expect(Set(values.suffix(10)).count > 1)
    }
}
