import SMP
import SMPTestSupport
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

/// Attacks of a relay on the memory and the processing time of a client.
@Suite("Client: hostile relays", .socketTimeLimit)
struct HostileRelayTests {
    private func makeMessage(_ number: UInt8, _ queue: RcvQueueCredentials) throws -> BrokerMessage {
        let id = [UInt8](repeating: number, count: 24)
        let body = RcvMessageBody.message(timestamp: 100, flags: .none, body: [number])
        return .msg(id: id, encBody: try body.seal(secret: queue.dhSecret, messageID: id))
    }

    @Test
    func `A client ends its session if a second message of a queue arrives before the ACK of the first one`()
        async throws
    {
        let queue = try makeUnknownQueue()
        let (first, second) = try (makeMessage(1, queue), makeMessage(2, queue))
        let peer = try await WaywardRelay.start(
            .answers { received, connection in
                let more =
                    connection == 1 ? [WaywardRelay.Reply.message(second, corrID: [], entityID: received.entityID)] : []
                return [.answer(.ok), .message(first, corrID: [], entityID: received.entityID)] + more
            }
        )
        let received = Mutex<[[UInt8]]>([])
        let events = EventQueue()
        let client = SMPClient(server: peer.server, configuration: .withShortReconnect, group: WaywardRelay.group) {
            event in
            if case .message(_, let message) = event { received.withLock { $0.append(message.id) } }
            events.handler(event)
        }
        await client.subscribeQueues([queue])
        let error = try await events.waitForFirst { event -> SMPClientError? in
            if case .protocolViolated(let error) = event { error } else { nil }
        }
        #expect(error == .unexpected("MSG"))
        // The client may not have recorded the subscription at this moment.
        let lost = try await events.waitForFirst { if case .disconnected(let ids, _) = $0 { ids } else { nil } }
        #expect(lost == [] || lost == [queue.rcvID])
        // In the second session the relay follows the protocol.
        let id = try await events.waitForFirst { if case .message(_, let message) = $0 { message.id } else { nil } }
        #expect(received.withLock { $0 } == [id, id])
        await client.close()
        await peer.stop()
    }

    @Test
    func `A client ignores repeated messages, and messages and events of unknown queues`() async throws {
        let queue = try makeUnknownQueue()
        let (first, second) = try (makeMessage(1, queue), makeMessage(2, queue))
        let unknown = [UInt8](repeating: 9, count: 24)
        let peer = try await WaywardRelay.start(
            .answers { received, _ in
                let entity = received.entityID
                guard (try? received.parseClientCommand()) == .sub else { return [.answer(second)] }
                return [.answer(.ok)]
                    + (0..<50).flatMap { _ in
                        [
                            .message(first, corrID: [], entityID: entity),
                            .message(first, corrID: [], entityID: unknown),
                            .message(.end, corrID: [], entityID: unknown),
                            .message(.deld, corrID: [], entityID: unknown),
                            .message(.nmsg(nonce: BoxNonce(padding: []), encMeta: [1]), corrID: [], entityID: unknown),
                            .message(.alls, corrID: [], entityID: []),
                        ]
                    } + [.message(.end, corrID: [], entityID: entity)]
            }
        )
        let all = Mutex<[SMPClientEvent]>([])
        let events = EventQueue()
        let client = SMPClient(server: peer.server, configuration: .withShortReconnect, group: WaywardRelay.group) {
            event in
            all.withLock { $0.append(event) }
            events.handler(event)
        }
        await client.subscribeQueues([queue])
        #expect(
            try await events.waitForFirst { if case .subscriptionEnded(let id) = $0 { id } else { nil } } == queue.rcvID
        )
        let told = all.withLock { $0 }.filter {
            switch $0 {
            case .connected, .subscribed: false
            default: true
            }
        }
        // The client reports only two events: the first message, and END of the subscribed queue.
        #expect(told.count == 2)
        await client.close()
        await peer.stop()
    }

    @Test
    func `A client accepts the next message of a queue before it gets the answer to the previous ACK`() async throws {
        let queue = try makeUnknownQueue()
        let messages = try (0..<4).map { try makeMessage($0, queue) }
        let acknowledged = Counter()
        let peer = try await WaywardRelay.start(
            .answers { received, _ in
                guard (try? received.parseClientCommand()) != .sub else { return [.answer(messages[0])] }
                let number = acknowledged.nextNumber()
                return number < messages.count
                    ? [.message(messages[number], corrID: [], entityID: received.entityID), .answer(.ok)]
                    : [.answer(.ok)]
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
        for number in 0..<UInt8(messages.count) {
            let id = try await events.waitForFirst { if case .message(_, let message) = $0 { message.id } else { nil } }
            #expect(id == [UInt8](repeating: number, count: 24))
            try await client.acknowledgeMessage(rcvID: queue.rcvID, key: queue.key, messageID: id)
        }
        #expect(client.isConnected)
        await client.close()
        await peer.stop()
    }
}
