import SMP
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing

@Suite("Relay: notifications and services", .socketTimeLimit)
struct NotifierTests {
    /// The id and the keys of a notifier, which the owner of the queue has.
    private struct Notifier {
        let id: [UInt8]
        let key: AuthorizationPrivateKey
        let secret: X25519.SharedSecret

        /// Creates the notifier with NKEY.
        init(_ session: TestSession, _ queue: TestQueue) async throws {
            let (key, dhKey) = (AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey()), try X25519.PrivateKey())
            let answer = try await session.send(.nkey(key.publicKey, dhKey: dhKey.publicKey), queue.rcvID, queue.rcvKey)
            guard case .nid(let id, let relayKey) = answer else { throw UnexpectedAnswer(answer: answer) }
            (self.id, self.key, secret) = (id, key, try dhKey.sharedSecret(with: relayKey))
        }

        func openMeta(_ event: (entityID: [UInt8], message: BrokerMessage)) throws -> NotificationMeta {
            guard event.entityID == id, case .nmsg(let nonce, let box) = event.message else {
                throw UnexpectedAnswer(answer: event.message)
            }
            return try NotificationMeta(opening: box, secret: secret, nonce: nonce)
        }
    }

    private static func postMessage(_ session: TestSession, _ queue: TestQueue, notify: Bool = true) async throws {
        #expect(try await session.send(.send(MessageFlags(notification: notify), body: [1]), queue.sndID) == .ok)
    }

    @Test(arguments: UInt16(6)...20)
    func `A notifier gets NMSG only for messages with the notification flag`(version: UInt16) async throws {
        try await withRelay { relay in
            let owner = try await relay.connect(version: version)
            let server = try await relay.connect(version: version)
            let queue = try await owner.createQueue()
            let notifier = try await Notifier(owner, queue)
            try await Self.postMessage(owner, queue)
            let first = try await owner.nextMessage(queue)
            let answer = try await server.send(.nsub, notifier.id, notifier.key)
            #expect(version >= 16 ? answer == .sok(serviceID: nil) : answer == .ok)
            #expect(try notifier.openMeta(try await server.nextEvent()).messageID == first.id)
            #expect(try await owner.acknowledge(first.id, queue) == .ok)
            try await Self.postMessage(owner, queue, notify: false)
            try await Self.postMessage(owner, queue)
            _ = try await server.nextEvent()
            try await server.expectSilence()
            #expect(try await owner.send(.ndel, queue.rcvID, queue.rcvKey) == .ok)
            let end = try await server.nextEvent()
            #expect(end.entityID == notifier.id && end.message == (version >= 10 ? .deld : .end))
            #expect(try await server.send(.nsub, notifier.id, notifier.key) == .err(.auth))
        }
    }

    @Test
    func `The subscription of a notifier ends after an NSUB of another session, NKEY or DEL`() async throws {
        try await withRelay { relay in
            var owner = try await relay.connect(version: 18)
            let queue = try await owner.createQueue()
            let old = try await Notifier(owner, queue)
            try await relay.restart()
            owner = try await relay.connect(version: 18)
            let (first, second) = (try await relay.connect(version: 18), try await relay.connect(version: 18))
            #expect(try await first.send(.nsub, old.id, old.key) == .sok(serviceID: nil))
            #expect(try await second.send(.nsub, old.id, old.key) == .sok(serviceID: nil))
            #expect(try await first.nextEvent().message == .end)
            let new = try await Notifier(owner, queue)
            #expect(try await second.nextEvent().message == .deld)
            #expect(try await first.send(.nsub, new.id, new.key) == .sok(serviceID: nil))
            #expect(try await first.send(.nsub, new.id, old.key) == .err(.auth))
            #expect(try await owner.send(.del, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await first.nextEvent().message == .deld)
        }
    }

    @Test
    func `NEW with notifier keys creates a queue with a notifier`() async throws {
        try await withRelay { relay in
            let events = EventQueue()
            let client = SMPClient(server: relay.relay.address, group: TestRelay.group) { _ in }
            let server = try await TestSession(relay.relay.address, version: 18)
            let (key, dhKey) = (AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey()), try X25519.PrivateKey())
            let queue = try await client.createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                data: .messaging(nil),
                notifier: (key.publicKey, dhKey)
            )
            let notifier = try #require(queue.notifier)
            #expect(try await server.send(.nsub, notifier.notifierID, key) == .sok(serviceID: nil))
            try await client.sendMessage(
                sndID: queue.sndID,
                key: nil,
                flags: MessageFlags(notification: true),
                body: [1]
            )
            guard case .nmsg(let nonce, let box) = try await server.nextEvent().message else {
                throw SMPClientError.closed
            }
            _ = try NotificationMeta(opening: box, secret: notifier.dhSecret, nonce: nonce)
            #expect(events.isEmpty)
            await client.close()
            await server.session.close()
        }
    }

    // MARK: Services

    private static func connectService(
        _ relay: TestRelay,
        _ credentials: ServiceCredentials,
        version: UInt16 = 20
    ) async throws -> TestSession {
        try await relay.connect(version: version, service: credentials)
    }

    @Test(arguments: UInt16(16)...20)
    func `After a restart of the relay, an SMP service subscribes to all its queues with one command`(
        version: UInt16
    ) async throws {
        try await withRelay { relay in
            let credentials = try ServiceCredentials.generate(role: .messaging)
            var service = try await Self.connectService(relay, credentials, version: version)
            let id = try #require(service.session.serviceSession?.id)
            let created = try await service.createQueue()
            let plain = try await relay.connect(version: version)
            let adopted = try await plain.createQueue()
            #expect(try await service.send(.sub, adopted.rcvID, adopted.rcvKey) == .sok(serviceID: id))
            #expect(try await plain.nextEvent().message == .end)
            try await relay.restart()
            let sender = try await relay.connect()
            #expect(try await sender.post("a", to: created) == .ok)
            #expect(try await sender.post("b", to: adopted) == .ok)
            service = try await Self.connectService(relay, credentials, version: version)
            #expect(service.session.serviceSession?.id == id)
            let both = ServiceQueues([created.rcvID, adopted.rcvID]).asReported(to: version)
            #expect(try await service.subscribeAll([created, adopted]) == .soks(both))
            var texts: Set<String> = []
            var isTold = version < 19
            while texts.count < 2 || !isTold {
                let event = try await service.nextEvent()
                if event.message == .alls {
                    // ALLS arrives after all waiting messages.
                    #expect(version >= 19 && event.entityID.isEmpty && texts.count == 2)
                    isTold = true
                    continue
                }
                let queue = event.entityID == created.rcvID ? created : adopted
                let message = try TestMessage(event.message, queue)
                texts.insert(message.text)
                #expect(try await service.acknowledge(message.id, queue) == .ok)
            }
            #expect(texts == ["a", "b"])
            // Another session of the service takes over all queues, and a client without a service takes over one.
            let second = try await Self.connectService(relay, credentials, version: version)
            #expect(try await second.subscribeAll() == .soks(both))
            let end = try await service.nextEvent()
            #expect(end.entityID == id && end.message == .ends(both))
            if version >= 19 { #expect(try await second.nextEvent().message == .alls) }
            let last = try await relay.connect(version: version)
            #expect(try await last.send(.sub, adopted.rcvID, adopted.rcvKey) == .sok(serviceID: nil))
            #expect(try await second.nextEvent().message == .end)
            #expect(
                try await second.subscribeAll([created])
                    == .soks(ServiceQueues([created.rcvID]).asReported(to: version))
            )
        }
    }

    @Test
    func `A client with service credentials gets messages before and after a restart of the relay`() async throws {
        try await withRelay { relay in
            relay.configuration.port = Int(try #require(relay.relay.address.portNumber))
            var configuration = SMPClientConfiguration()
            configuration.serviceCredentials = try ServiceCredentials.generate(role: .messaging)
            configuration.reconnectBackoff.initialDelay = .milliseconds(10)
            let first = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                _ in
            }
            let queue = try await first.createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                mode: .messaging
            )
            await first.close()
            let (messages, continuation) = AsyncStream.makeStream(of: RcvMessage.self)
            let client = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                event in
                if case .message(_, let message) = event { continuation.yield(message) }
            }
            #expect(
                try await client.subscribeServiceQueues([queue.credentials]) == ServiceQueues([queue.credentials.rcvID])
            )
            #expect(client.activeSubscriptions == [queue.credentials.rcvID])
            var iterator = messages.makeAsyncIterator()
            for round in 0..<2 {
                if round == 1 { try await relay.restart() }
                let sender = try await relay.connect()
                #expect(try await sender.send(.send(.none, body: [UInt8(round)]), queue.sndID) == .ok)
                let message = try #require(await iterator.next())
                guard case .message(_, _, let body) = message.body else { throw SMPClientError.closed }
                #expect(body == [UInt8(round)])
                try await client.acknowledgeMessage(
                    rcvID: queue.credentials.rcvID,
                    key: queue.credentials.key,
                    messageID: message.id
                )
            }
            await client.close()
        }
    }

    @Test
    func `In a new session, an SMP service subscribes to all its queues at once, and reports lost queues`()
        async throws
    {
        try await withRelay { relay in
            relay.configuration.port = Int(try #require(relay.relay.address.portNumber))
            var configuration = SMPClientConfiguration()
            configuration.serviceCredentials = try ServiceCredentials.generate(role: .messaging)
            configuration.reconnectBackoff.initialDelay = .milliseconds(10)
            let (events, continuation) = AsyncStream.makeStream(of: SMPClientEvent.self)
            let client = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                continuation.yield($0)
            }
            var iterator = events.makeAsyncIterator()
            func event(_ isWanted: (SMPClientEvent) -> Bool) async throws -> SMPClientEvent {
                while let event = await iterator.next() { if isWanted(event) { return event } }
                throw SMPClientError.closed
            }
            let created = try await client.createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                mode: .messaging
            ).credentials
            let service = try #require(created.serviceID)
            // A queue of another client is assigned by the first subscription in a session of the service.
            let adopted = try await relay.connect(version: 20).createQueue()
            await client.subscribeQueues([
                RcvQueueCredentials(rcvID: adopted.rcvID, key: adopted.rcvKey, dhSecret: adopted.secret)
            ])
            _ = try await event { if case .assignedToService([adopted.rcvID], service) = $0 { true } else { false } }
            let ids: Set = [created.rcvID, adopted.rcvID]
            try await relay.restart()
            _ = try await event { if case .disconnected = $0 { true } else { false } }
            // The relay sends the event only after SUBS.
            _ = try await event { if case .serviceMessagesDelivered = $0 { true } else { false } }
            try await waitUntil("all queues are subscribed") { client.activeSubscriptions == ids }
            // A client that knows only one of the queues subscribes to this queue alone, and takes all from the other.
            let second = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                _ in
            }
            await second.subscribeQueues([created])
            #expect(second.activeSubscriptions == [created.rcvID])
            var lost: Set<[UInt8]> = []
            while lost != ids {
                let end = try await event { if case .subscriptionEnded = $0 { true } else { false } }
                if case .subscriptionEnded(let id) = end { lost.insert(id) }
            }
            #expect(client.activeSubscriptions == [])
            await second.close()
            await client.close()
        }
    }

    @Test
    func `The latest session of a notifier service gets the notifications of all its queues`() async throws {
        try await withRelay { relay in
            let credentials = try ServiceCredentials.generate(role: .notifier)
            var server = try await Self.connectService(relay, credentials)
            let owner = try await relay.connect(version: 18)
            let queue = try await owner.createQueue()
            let notifier = try await Notifier(owner, queue)
            let id = try #require(server.session.serviceSession?.id)
            #expect(try await server.send(.nsub, notifier.id, notifier.key) == .sok(serviceID: id))
            await server.session.close()
            try await relay.restart()
            server = try await Self.connectService(relay, credentials)
            let own = ServiceQueues([notifier.id])
            #expect(try await server.subscribeAll() == .soks(own))
            try await Self.postMessage(try await relay.connect(), queue)
            _ = try notifier.openMeta(try await server.nextEvent())
            let second = try await Self.connectService(relay, credentials)
            #expect(try await second.subscribeAll() == .soks(own))
            #expect(try await server.nextEvent().message == .ends(own))
        }
    }

    @Test
    func `A client whose service certificate is refused creates its first queue as a usual client`() async throws {
        try await withRelay { relay in
            var credentials = try ServiceCredentials.generate(role: .notifier)
            _ = try await Self.connectService(relay, credentials)
            // The relay knows the certificate in another role.
            credentials.role = .messaging
            var configuration = SMPClientConfiguration()
            configuration.serviceCredentials = credentials
            let client = SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) {
                _ in
            }
            let queue = try await client.createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                mode: .messaging
            )
            let sender = try await relay.connect()
            #expect(try await sender.send(.send(.none, body: [1]), queue.sndID) == .ok)
            await client.close()
        }
    }

    @Test
    func `A notifier service can use only the commands of the notifier role`() async throws {
        try await withRelay { relay in
            let credentials = try ServiceCredentials.generate(role: .notifier)
            let service = try await Self.connectService(relay, credentials)
            await #expect(throws: UnexpectedAnswer.self) { try await service.createQueue() }
            #expect(try await service.send(.sub, [1], .ed25519(try Ed25519.PrivateKey())) == .err(.cmd(.prohibited)))
            let plain = try await relay.connect(version: 18)
            let id = try #require(service.session.serviceSession?.id)
            #expect(try await plain.send(.nsubs(.unknown), id, .ed25519(try Ed25519.PrivateKey())) == .err(.service))
            #expect(try await service.send(.nsubs(.unknown), id, .ed25519(try Ed25519.PrivateKey())) == .err(.service))
            // The same certificate in another role.
            var other = credentials
            other.role = .messaging
            await #expect(throws: SMPClientError.transport(.handshake(.badService))) {
                try await Self.connectService(relay, other)
            }
            // Before version 16 the client sends no service credentials, because the relay could not answer them.
            let old = try await Self.connectService(relay, credentials, version: 15)
            #expect(old.session.serviceSession == nil)
            #expect(try await old.send(.ping) == .pong)
        }
    }
}

extension TestSession {
    /// - Parameter queues: the queues that the service reports. The relay subscribes all queues that it knows.
    fileprivate func subscribeAll(_ queues: [TestQueue] = []) async throws -> BrokerMessage {
        let service = try #require(session.serviceSession)
        let known = ServiceQueues(queues.map(\.rcvID))
        return try await send(
            service.role == .notifier ? .nsubs(known) : .subs(known),
            service.id,
            .ed25519(service.key)
        )
    }
}

extension ServiceQueues {
    /// The queues as the relay reports them: before version 19 without the hash.
    fileprivate func asReported(to version: UInt16) -> ServiceQueues {
        version >= 19 ? self : ServiceQueues(count: count)
    }
}
