import SMP
import SMPRelay
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing
import Transport

@Suite("Relay as a proxy", .socketTimeLimit)
struct ProxyTests {
    /// Runs `body` with a relay for the sender, the proxy, and another relay for the recipient.
    private static func withRelays(
        _ change: (inout RelayConfiguration) -> Void = { _ in },
        _ body: (_ proxy: TestRelay, _ relay: TestRelay) async throws -> Void
    ) async throws {
        try await withRelay(change) { proxy in try await withRelay { relay in try await body(proxy, relay) } }
    }

    private static func makeClient(_ relay: TestRelay, version: UInt16 = 18, minVersion: UInt16 = 6) -> SMPClient {
        var configuration = SMPClientConfiguration()
        configuration.versions = ProtocolVersionRange(SMPVersion(minVersion), SMPVersion(version))
        return SMPClient(server: relay.relay.address, configuration: configuration, group: TestRelay.group) { _ in }
    }

    @Test(arguments: UInt16(8)...20)
    func `A sender sends a message of the maximum length through a proxy, for each version from 8`(
        version: UInt16
    ) async throws {
        try await Self.withRelays { proxy, relay in
            let recipient = try await relay.connect()
            let queue = try await recipient.createQueue(mode: version < 9 ? .contact : .messaging)
            let sender = Self.makeClient(proxy, version: version, minVersion: min(version, 17))
            let destination = relay.relay.address
            if version >= 9 {
                let secured = try await sender.sendThroughProxy(
                    SMPRequest(.skey(queue.sndKey.publicKey), entityID: queue.sndID, key: queue.sndKey),
                    to: destination
                )
                #expect(secured == .ok)
            }
            let body = RandomBytes.make(
                count: SessionParameters(version: SMPVersion(version), sessionID: []).maxMessageLength
            )
            let request = SMPRequest(
                .send(.none, body: body),
                entityID: queue.sndID,
                key: version < 9 ? nil : queue.sndKey
            )
            #expect(try await sender.sendThroughProxy(request, to: destination) == .ok)
            guard case .message(_, _, let received) = try await recipient.nextMessage(queue).body else {
                throw UnexpectedAnswer(answer: .ok)
            }
            #expect(received == body)
            await sender.close()
        }
    }

    @Test
    func `The commands LGET and LKEY of short links pass through a proxy`() async throws {
        try await Self.withRelays { proxy, relay in
            let owner = Self.makeClient(relay)
            let data = QueueLinkData(
                encFixedData: RandomBytes.make(count: 2000),
                encUserData: RandomBytes.make(count: 13_000)
            )
            func create(_ make: ([UInt8]) -> QueueRequestData) async throws -> CreatedQueue {
                let corrID = RandomBytes.make(count: 24)
                return try await owner.createQueue(
                    key: .ed25519(try Ed25519.PrivateKey()),
                    dhKey: try X25519.PrivateKey(),
                    data: make(QueueRequestData.senderID(corrID: corrID)),
                    corrID: corrID
                )
            }
            let contact = try await create {
                .contact(.init(linkID: RandomBytes.make(count: 24), senderID: $0, data: data))
            }
            let invitation = try await create { .messaging(.init(senderID: $0, data: data)) }
            let follower = Self.makeClient(proxy)
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            let found = try await follower.sendThroughProxy(
                SMPRequest(.lget, entityID: try #require(contact.ids.linkID)),
                to: relay.relay.address
            )
            #expect(found == .lnk(senderID: contact.sndID, data))
            let secured = try await follower.sendThroughProxy(
                SMPRequest(.lkey(key.publicKey), entityID: try #require(invitation.ids.linkID), key: key),
                to: relay.relay.address
            )
            #expect(secured == .lnk(senderID: invitation.sndID, data))
            await owner.close()
            await follower.close()
        }
    }

    @Test
    func `Through a proxy, the sender gets the relay's errors unchanged, and PROXY for an unreachable relay`()
        async throws
    {
        try await Self.withRelays { proxy, relay in
            let queue = try await relay.connect().createQueue()
            let sender = Self.makeClient(proxy)
            let destination = relay.relay.address
            func send(
                _ command: ClientCommand,
                to destination: ProtocolServer,
                key: AuthorizationPrivateKey? = nil
            ) async throws -> BrokerMessage {
                try await sender.sendThroughProxy(
                    SMPRequest(command, entityID: queue.sndID, key: key),
                    to: destination
                )
            }
            await #expect(throws: SMPClientError.smp(.auth)) {
                try await send(.send(.none, body: [1]), to: destination, key: queue.sndKey)
            }
            await #expect(throws: SMPClientError.smp(.cmd(.prohibited))) {
                try await send(.sub, to: destination, key: queue.sndKey)
            }
            var nobody = destination
            nobody.port = "1"
            await #expect(throws: SMPClientError.smp(.proxy(.broker(.network(.failed))))) {
                try await send(.send(.none, body: [1]), to: nobody)
            }
            var stranger = destination
            stranger.keyHash = RandomBytes.make(count: 32)
            await #expect(throws: SMPClientError.self) { try await send(.send(.none, body: [1]), to: stranger) }
            await sender.close()
        }
    }

    @Test
    func `A proxy gives the same error for each forbidden address, whether its port is open or closed`() async throws {
        try await Self.withRelays({
            // The name `localhost` may also have the address ::1, which the rule refuses.
            $0.addressRule = { host, _, address in host == "localhost" && address.ipAddress == "127.0.0.1" }
        }) { proxy, relay in
            let queue = try await relay.connect().createQueue(subscribe: false)
            let sender = Self.makeClient(proxy)
            func send(_ hosts: [TransportHost], port: String) async throws -> BrokerMessage {
                var destination = relay.relay.address
                (destination.hosts, destination.port) = (hosts, port)
                return try await sender.sendThroughProxy(
                    SMPRequest(.send(.none, body: [1]), entityID: queue.sndID),
                    to: destination
                )
            }
            let (open, closed) = (relay.relay.address.port, String(TestPort.takeUnused()))
            let loopback = TransportHost.ipv4([127, 0, 0, 1])
            // The relay reads this text as the IPv6 address that contains 127.0.0.1.
            let mapped = TransportHost.domain("::ffff:7f00:1")
            let refused: [([TransportHost], String)] = [
                ([loopback], open), ([loopback], closed), ([mapped], open), ([mapped], closed),
                ([.domain("localhost")], closed), ([.domain("name..invalid")], open),
                ([.onion(String(repeating: "a", count: 56) + ".onion")], open),
            ]
            for (hosts, port) in refused {
                await #expect(throws: SMPClientError.smp(.proxy(.broker(.network(.failed)))), "\(hosts):\(port)") {
                    try await send(hosts, port: port)
                }
            }
            #expect(try await send([.domain("localhost")], port: open) == .ok)
            #expect(try await send([loopback, .domain("localhost")], port: open) == .ok)
            await sender.close()
        }
    }

    @Test
    func `A proxy that may not forward to any other address still forwards to itself`() async throws {
        try await withRelay({ $0.addressRule = { _, _, _ in false } }) { relay in
            let queue = try await relay.connect().createQueue(subscribe: false)
            let sender = Self.makeClient(relay)
            let request = SMPRequest(.send(.none, body: [1]), entityID: queue.sndID)
            #expect(try await sender.sendThroughProxy(request, to: relay.relay.address) == .ok)
            var other = relay.relay.address
            other.port = String(TestPort.takeUnused())
            await #expect(throws: SMPClientError.smp(.proxy(.broker(.network(.failed))))) {
                try await sender.sendThroughProxy(request, to: other)
            }
            await sender.close()
        }
    }

    @Test
    func `A client requests only those relay hosts from a proxy that the client's host rule returns`() async throws {
        try await Self.withRelays { proxy, relay in
            let queue = try await relay.connect().createQueue(subscribe: false)
            var configuration = SMPClientConfiguration()
            configuration.transport.forwardingRule = { relay, proxy in
                guard proxy.host == "127.0.0.1" else { return nil }
                return relay.host == "relay.invalid" ? ["127.0.0.1"] : []
            }
            let sender = SMPClient(server: proxy.relay.address, configuration: configuration, group: TestRelay.group) {
                _ in
            }
            let request = SMPRequest(.send(.none, body: [1]), entityID: queue.sndID)
            await #expect(throws: SMPClientError.smp(.proxy(.broker(.network(.failed))))) {
                try await sender.sendThroughProxy(request, to: relay.relay.address)
            }
            var named = relay.relay.address
            named.hosts = [.domain("relay.invalid")]
            #expect(try await sender.sendThroughProxy(request, to: named) == .ok)
            var service = named
            service.port = "https"
            await #expect(throws: SMPClientError.smp(.proxy(.broker(.network(.failed))))) {
                try await sender.sendThroughProxy(request, to: service)
            }
            await sender.close()
        }
    }

    @Test
    func `A sender reaches a restarted relay through a proxy that had a session with it`() async throws {
        try await Self.withRelays { proxy, relay in
            let queue = try await relay.connect().createQueue(subscribe: false)
            let sender = Self.makeClient(proxy)
            let request = SMPRequest(.send(.none, body: [1]), entityID: queue.sndID)
            #expect(try await sender.sendThroughProxy(request, to: relay.relay.address) == .ok)
            // The restarted relay has the same port and identity, but no sessions.
            relay.configuration.port = Int(try #require(relay.relay.address.portNumber))
            try await relay.restart()
            var last: Result<BrokerMessage, any Error>?
            // The proxy may notice the end of its session only when the first command fails.
            for _ in 0..<3 {
                do { last = .success(try await sender.sendThroughProxy(request, to: relay.relay.address)) } catch {
                    last = .failure(error)
                }
                if case .success? = last { break }
            }
            #expect(try last?.get() == .ok)
            await sender.close()
        }
    }

    @Test
    func `A forwarded command that is interrupted by the stop of the proxy gets a temporary error`() async throws {
        let arrived = AsyncStream<Void>.makeStream()
        let destination = try await WaywardRelay.start(
            .answers { received, _ in
                if case .rfwd? = try? received.parseClientCommand() { arrived.continuation.yield() }
                return []
            }
        )
        try await withRelay { proxy in
            let sender = try await proxy.connect()
            let relay = try await sender.session.requestForwarding(to: destination.server, password: nil)
            async let answer = sender.session.sendThroughProxy(
                SMPRequest(.send(.none, body: [1]), entityID: [UInt8](repeating: 1, count: 24)),
                to: relay
            )
            for await _ in arrived.stream { break }
            await proxy.relay.stopAndWait()
            do {
                Issue.record("\(try await answer)")
            } catch {
                switch error as? SMPClientError {
                case .network?,
                    .proxy(
                        ProxyFailure(
                            proxy: proxy.relay.address,
                            relay: destination.server,
                            reason: .protocolError(.proxy(.broker(.network(.failed))))
                        )
                    )?:
                    break
                default: Issue.record("\(error)")
                }
            }
            #expect(SMPClientError.closed.proxyError == .proxy(.broker(.network(.failed))))
        }
        await destination.stop()
    }

    @Test
    func `A proxy refuses senders without its password, and all senders if the proxy service is off`() async throws {
        try await Self.withRelays({ $0.createPassword = "secret" }) { proxy, relay in
            let request = SMPRequest(.send(.none, body: [1]), entityID: try await relay.connect().createQueue().sndID)
            let knowing = Self.makeClient(proxy)
            #expect(try await knowing.sendThroughProxy(request, to: relay.relay.address) == .ok)
            let other = SMPClient(server: proxy.relay.address.withoutPassword, group: TestRelay.group) { _ in }
            await #expect(throws: SMPClientError.smp(.proxy(.basicAuth))) {
                try await other.sendThroughProxy(request, to: relay.relay.address)
            }
            await knowing.close()
            await other.close()
        }
        try await Self.withRelays({ $0.allowsProxying = false }) { proxy, relay in
            let client = Self.makeClient(proxy)
            await #expect(throws: SMPClientError.smp(.proxy(.basicAuth))) {
                try await client.sendThroughProxy(
                    SMPRequest(.send(.none, body: [1]), entityID: [1]),
                    to: relay.relay.address
                )
            }
            await client.close()
        }
    }

    @Test(arguments: [7, 8, 10, 11, 13, 14, 16, 18, 19, 20] as [UInt16])
    func `A relay before version 8 gets messages only if the client's fallback policy allows direct sending`(
        version: UInt16
    ) async throws {
        try await withRelay { proxy in
            try await withRelay({ $0.versions = ProtocolVersionRange(SMPVersion(6), SMPVersion(version)) }) { relay in
                let recipient = try await relay.connect(version: version)
                let queue = try await recipient.createQueue()
                let (sender, direct) = (Self.makeClient(proxy), Self.makeClient(relay))
                let request = SMPRequest(.send(.none, body: [1]), entityID: queue.sndID)
                for fallback in ProxyPolicy.Fallback.allCases {
                    for isProtected in [false, true] {
                        let route = SenderRoute(
                            policy: ProxyPolicy(mode: .onlyUnknownRelays, fallback: fallback),
                            isKnown: false,
                            isProtected: isProtected
                        )
                        let isAllowed = version >= 8 || fallback == .allow || fallback == .allowProtected && isProtected
                        do {
                            let answer = try await route.sendCommand(
                                request,
                                to: relay.relay.address,
                                direct: { direct },
                                proxy: { sender }
                            )
                            #expect(answer == .ok && isAllowed)
                        } catch {
                            #expect(
                                error as? SMPClientError == .smp(.proxy(.broker(.transport(.version)))) && !isAllowed
                            )
                        }
                    }
                }
                #expect(direct.isConnected == (version < 8))
                await sender.close()
                await direct.close()
            }
        }
    }
}

@Suite("Proxy policy", .socketTimeLimit)
struct ProxyPolicyTests {
    @Test(arguments: ProxyPolicy.Mode.allCases)
    func `The client's proxy mode decides which relays are reached through a proxy`(mode: ProxyPolicy.Mode) {
        for (isKnown, isProtected) in [(false, false), (false, true), (true, false), (true, true)] {
            let expected =
                switch mode {
                case .alwaysProxied: true
                case .neverProxied: false
                case .onlyUnknownRelays: !isKnown
                case .unprotected: !isKnown && !isProtected
                }
            #expect(ProxyPolicy(mode: mode).usesProxy(isKnown: isKnown, isProtected: isProtected) == expected)
        }
    }
}
