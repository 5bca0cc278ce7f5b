import SMP
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing
import Transport

@Suite("Relay: every version of the protocol", .socketTimeLimit)
struct VersionTests {
    static let versions = Array(UInt16(6)...20)

    @Test(arguments: versions)
    func `A queue is created, secured, used and deleted at each version of the protocol`(version: UInt16) async throws {
        try await withRelay { relay in
            let session = try await relay.connect(version: version)
            let sender = try await relay.connect(version: version)
            #expect(session.session.parameters.version == SMPVersion(version))
            let queue = try await session.createQueue(subscribe: false)
            let subscribed = try await session.send(.sub, queue.rcvID, queue.rcvKey)
            #expect(version >= 16 ? subscribed == .sok(serviceID: nil) : subscribed == .ok)
            if version >= 9 {
                #expect(try await sender.send(.skey(queue.sndKey.publicKey), queue.sndID, queue.sndKey) == .ok)
            } else {
                #expect(try await sender.send(.send(.none, body: [1]), queue.sndID) == .ok)
                let first = try await session.nextMessage(queue)
                #expect(try await session.acknowledge(first.id, queue) == .ok)
                #expect(try await session.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            }
            #expect(try await sender.send(.send(.none, body: [1]), queue.sndID) == .err(.auth))
            let limit = sender.session.parameters.maxMessageLength
            let body = RandomBytes.make(count: limit)
            #expect(try await sender.send(.send(.none, body: body), queue.sndID, queue.sndKey) == .ok)
            let message = try await session.nextMessage(queue)
            guard case .message(_, _, let received) = message.body else { throw UnexpectedAnswer(answer: .ok) }
            #expect(received == body)
            #expect(try await session.acknowledge(message.id, queue) == .ok)
            // One byte more is refused: by the relay, or by the client if it does not fit the block.
            let tooLong = await sender.session.sendRequests([
                SMPRequest(.send(.none, body: body + [1]), entityID: queue.sndID, key: queue.sndKey)
            ])[0]
            #expect(throws: SMPClientError.self) { try tooLong.get() }
            #expect(try await session.send(.del, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await sender.send(.send(.none, body: [1]), queue.sndID, queue.sndKey) == .err(.auth))
        }
    }

    @Test(
        arguments: [
            (6, 18), (18, 6), (7, 17), (17, 7), (8, 16), (16, 8), (10, 11), (11, 10), (14, 15), (15, 12), (13, 9),
            (20, 6), (18, 20), (19, 18),
        ] as [(UInt16, UInt16)]
    )
    func `A message passes between a sender and a recipient of different protocol versions`(
        recipient: UInt16,
        sender: UInt16
    ) async throws {
        try await withRelay { relay in
            let session = try await relay.connect(version: recipient)
            let other = try await relay.connect(version: sender)
            let sndKey = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            let queue = try await session.createQueue(sndKey: sndKey)
            #expect(try await session.send(.key(sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            let body = RandomBytes.make(count: other.session.parameters.maxMessageLength)
            #expect(try await other.send(.send(.none, body: body), queue.sndID, sndKey) == .ok)
            let message = try await session.nextMessage(queue)
            guard case .message(_, _, let received) = message.body else { throw UnexpectedAnswer(answer: .ok) }
            #expect(received == body)
            #expect(try await session.acknowledge(message.id, queue) == .ok)
        }
    }

    @Test
    func `A client without ALPN uses version 6 of the protocol`() async throws {
        try await withRelay { relay in
            var configuration = SMPClientConfiguration()
            configuration.offersApplicationProtocol = false
            let session = try await SMPSession.connect(
                to: relay.relay.address,
                configuration: configuration,
                group: TestRelay.group
            ) { _ in }
            #expect(session.parameters.version == .legacy && session.serverVersions == SupportedVersions.legacy)
            #expect(session.certificateKey == nil)
            guard case .pong = try await session.sendRequest(SMPRequest(.ping)) else {
                throw UnexpectedAnswer(answer: .pong)
            }
            await session.close()
            configuration.versions = ProtocolVersionRange(7, 18)
            await #expect(throws: SMPClientError.transport(.version)) {
                try await SMPSession.connect(
                    to: relay.relay.address,
                    configuration: configuration,
                    group: TestRelay.group
                ) { _ in }
            }
        }
    }

    @Test
    func `A client with an unknown ALPN is refused with VERSION`() async throws {
        try await withRelay { relay in
            let address = relay.relay.address
            let client = try await RawClient(address, version: 18, protocolName: TLSSession.webProtocol)
            #expect(client.parameters?.version == SMPVersion(18))
            await #expect(throws: SMPTransportError.version) {
                _ = try await RawClient(address, version: 18, protocolName: "h2")
            }
        }
    }

    @Test(arguments: [6, 9, 10, 11, 12, 17, 18, 20] as [UInt16])
    func `ERR BLOCKED and DELD are replaced for protocol versions that lack them`(version: UInt16) async throws {
        try await withRelay { relay in
            let session = try await relay.connect(version: version)
            let queue = try await session.createQueue()
            let other = try await relay.connect(version: 18)
            let notice = "{\"ttl\":86400}"
            #expect(try relay.relay.blockOrUnblock(SMPBlockingInfo(reason: .spam, notice: notice), queue: queue.rcvID))
            try await relay.expectBlocked(session.send(.sub, queue.rcvID, queue.rcvKey), version, notice)
            #expect(try relay.relay.blockOrUnblock(nil, queue: queue.rcvID))
            #expect(try await other.send(.del, queue.rcvID, queue.rcvKey) == .ok)
            let event = try await session.nextEvent()
            #expect(event.entityID == queue.rcvID && event.message == (version >= 10 ? .deld : .end))
        }
    }

    @Test
    func `The notice of a blocked queue survives a restart of the relay and a compaction of its log`() async throws {
        try await withRelay { relay in
            var session = try await relay.connect(version: 18)
            let queue = try await session.createQueue()
            #expect(try relay.relay.blockOrUnblock(SMPBlockingInfo(reason: .content, notice: "{}"), queue: queue.rcvID))
            for _ in 0..<2 {
                try await relay.restart()
                session = try await relay.connect(version: 18)
                let expected = BrokerMessage.err(.blocked(SMPBlockingInfo(reason: .content, notice: "{}")))
                #expect(try await session.post("a", to: queue) == expected)
                await relay.relay.compactLog()
            }
        }
    }
}

extension ProtocolVersionRange {
    fileprivate init(_ a: UInt16, _ b: UInt16) { self.init(SMPVersion(a), SMPVersion(b)) }
}

extension TestRelay {
    fileprivate func expectBlocked(_ answer: BrokerMessage, _ version: UInt16, _ notice: String) {
        switch version {
        case ..<12: #expect(answer == .err(.auth))
        case ..<18: #expect(answer == .err(.blocked(SMPBlockingInfo(reason: .spam))))
        default: #expect(answer == .err(.blocked(SMPBlockingInfo(reason: .spam, notice: notice))))
        }
    }
}
