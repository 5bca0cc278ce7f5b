import Concurrency
import NIOCore
import SMP
import SMPTestSupport
import SimpleXCrypto
import Synchronization
import Testing
import TestSupport

/// Sessions with peers that violate the protocol.
@Suite(.socketTimeLimit)
struct SMPSessionTests {
    private func connectSession(
        _ peer: WaywardRelay,
        _ configuration: SMPClientConfiguration = .withShortReconnect
    ) async throws(SMPClientError) -> SMPSession {
        try await SMPSession.connect(to: peer.server, configuration: configuration, group: WaywardRelay.group) { _ in }
    }

    @Test
    func `A connection to a relay that never sends its hello fails with a timeout`() async throws {
        let peer = try await WaywardRelay.start(.silent)
        var impatient = SMPClientConfiguration.withShortTimeouts
        impatient.transport.connectTimeout = .milliseconds(400)
        let configuration = impatient
        await #expect(throws: SMPClientError.timeout) { try await connectSession(peer, configuration) }
        await peer.stop()
    }

    @Test
    func `A malformed hello of a relay is refused by the client`() async throws {
        let peer = try await WaywardRelay.start(.garbageHello)
        let error = await #expect(throws: SMPClientError.self) { try await connectSession(peer) }
        guard case .transport = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await peer.stop()
    }

    @Test
    func `A connection that the relay closes during the hello fails with a temporary error`() async throws {
        let peer = try await WaywardRelay.start(.closesInsideHello)
        let error = await #expect(throws: SMPClientError.self) { try await connectSession(peer) }
        #expect(error?.isTemporary == true)
        await peer.stop()
    }

    @Test
    func `A client refuses a relay whose fingerprint differs from its address, with a temporary error`() async throws {
        let peer = try await WaywardRelay.start(.answers { _, _ in [] })
        var server = peer.server
        server.keyHash[0] ^= 1
        let error = await #expect(throws: SMPClientError.self) {
            try await SMPSession.connect(to: server, group: WaywardRelay.group) { _ in }
        }
        #expect(error == .network(.unknownCA))
        #expect(error?.isTemporary == true)
        await peer.stop()
    }

    @Test
    func `A connection to a port without a listener fails with a network error`() async throws {
        let peer = try await WaywardRelay.start(.silent)
        await peer.stop()
        let error = await #expect(throws: SMPClientError.self) { try await connectSession(peer) }
        guard case .network = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test
    func `Without a SOCKS proxy, a connection to a relay with only an onion host fails with a network error`()
        async throws
    {
        let server = try ProtocolServer(parsing: "smp://q83vmA==@abc234.onion")
        let error = await #expect(throws: SMPClientError.self) {
            try await SMPSession.connect(to: server, group: WaywardRelay.group) { _ in }
        }
        guard case .network = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test
    func `Each command gets the answer with its correlation id, even if answers arrive in a different order`()
        async throws
    {
        let held = Mutex<[UInt8]?>(nil)
        let peer = try await WaywardRelay.start(
            .answers { received, _ in
                // The relay answers the first command after the second command.
                guard let first = held.withLock({ $0 }) else {
                    held.withLock { $0 = received.corrID }
                    return []
                }
                return [.answer(.pong), .message(.err(.quota), corrID: first, entityID: [7])]
            }
        )
        let session = try await connectSession(peer)
        let answers = await session.sendRequests([
            SMPRequest(.send(.none, body: [1]), entityID: [7]), SMPRequest(.ping),
        ])
        #expect(answers == [.failure(.smp(.quota)), .success(.pong)])
        await session.close()
        await peer.stop()
    }

    @Test
    func `A command that is too large for a block does not affect the other commands of its batch`() async throws {
        let peer = try await WaywardRelay.start(
            .answers { received, _ in [.answer(received.entityID.isEmpty ? .pong : .ok)] }
        )
        let session = try await connectSession(peer)
        var requests = (0..<100).map { _ in SMPRequest(.ping) }
        requests.insert(SMPRequest(.send(.none, body: [UInt8](repeating: 0, count: 16400)), entityID: [1]), at: 50)
        let answers = await session.sendRequests(requests)
        #expect(answers[50] == .failure(.transport(.largeMsg)))
        #expect(answers.filter { $0 == .success(.pong) }.count == 100)
        await session.close()
        await peer.stop()
    }

    @Test
    func `A command without an answer fails with a timeout, and the second timeout closes the session`() async throws {
        let peer = try await WaywardRelay.start(.answers { _, _ in [] })
        let (events, continuation) = AsyncStream.makeStream(of: SMPSessionEvent.self)
        let session = try await SMPSession.connect(
            to: peer.server,
            configuration: .withShortTimeouts,
            group: WaywardRelay.group
        ) { continuation.yield($0) }
        await #expect(throws: SMPClientError.timeout) { try await session.sendRequest(SMPRequest(.ping)) }
        await #expect(throws: SMPClientError.timeout) { try await session.sendRequest(SMPRequest(.ping)) }
        for await event in events {
            guard case .closed(.timeout) = event else { continue }
            break
        }
        await peer.stop()
    }

    @Test(arguments: [Patience.interactive, .background])
    func `An interactive or a background command fails after the timeout for commands of this kind`(
        patience: Patience
    ) async throws {
        let (silent, mute) = (
            try await WaywardRelay.start(.silent), try await WaywardRelay.start(.answers { _, _ in [] })
        )
        var configuration = SMPClientConfiguration.withShortReconnect
        // The timeout that must not end the command is longer than the test may take.
        func set(_ patience: Patience, connect: TimeAmount, response: TimeAmount) {
            switch patience {
            case .background:
                (configuration.transport.connectTimeout, configuration.transport.responseTimeout) = (connect, response)
            case .interactive:
                (
                    configuration.transport.interactiveConnectTimeout,
                    configuration.transport.interactiveResponseTimeout
                ) = (connect, response)
            }
        }
        set(patience == .interactive ? .background : .interactive, connect: .minutes(10), response: .minutes(10))
        set(patience, connect: .milliseconds(300), response: .minutes(10))
        let start = ContinuousClock.now
        let unconnected = SMPClient(server: silent.server, configuration: configuration, group: WaywardRelay.group) {
            _ in
        }
        await #expect(throws: SMPClientError.timeout) {
            try await unconnected.sendRequest(SMPRequest(.ping), patience: patience)
        }
        set(patience, connect: .minutes(10), response: .milliseconds(300))
        let client = SMPClient(server: mute.server, configuration: configuration, group: WaywardRelay.group) { _ in }
        await #expect(throws: SMPClientError.timeout) {
            try await client.sendRequest(SMPRequest(.ping), patience: patience)
        }
        await #expect(throws: SMPClientError.timeout) {
            try await client.requestQueueInfo(makeUnknownQueue(), patience: patience)
        }
        #expect(ContinuousClock.now - start < .seconds(300))
        await unconnected.close()
        await client.close()
        await silent.stop()
        await mute.stop()
    }

    @Test
    func `The timeouts of an interactive command grow with each attempt, and background timeouts do not`() {
        var configuration = SMPClientConfiguration()
        configuration.transport.interactiveResponseTimeout = .seconds(8)
        configuration.transport.interactiveConnectTimeout = .seconds(16)
        let times = [-1, 0, 1, 2, 3, Int.max].map { number in
            CommandAttempt.$earlierAttemptCount.withValue(number) {
                (configuration.responseTimeout(.interactive), configuration.connectTimeout(.interactive))
            }
        }
        #expect(times.map(\.0) == [8, 8, 12, 18, 27, 27].map { .seconds($0) })
        #expect(times.map(\.1) == [16, 16, 24, 36, 54, 54].map { .seconds($0) })
        let background = configuration.responseTimeout(.background)
        CommandAttempt.$earlierAttemptCount.withValue(3) {
            #expect(configuration.responseTimeout(.background) == background)
        }
    }

    @Test
    func `An idle client session closes if its PING gets no answer`() async throws {
        let pings = Mutex(0)
        let peer = try await WaywardRelay.start(
            .answers { received, _ in
                #expect((try? received.parseClientCommand()) == .ping)
                return pings.withLock {
                    $0 += 1
                    return $0 < 3 ? [.answer(.pong)] : []
                }
            }
        )
        var configuration = SMPClientConfiguration.withShortTimeouts
        // The timeout is long enough for answered PINGs, even on a busy machine.
        configuration.transport.responseTimeout = .seconds(1)
        configuration.pingInterval = .milliseconds(30)
        let (events, continuation) = AsyncStream.makeStream(of: SMPSessionEvent.self)
        let session = try await SMPSession.connect(
            to: peer.server,
            configuration: configuration,
            group: WaywardRelay.group
        ) { continuation.yield($0) }
        for await event in events {
            guard case .closed(let reason) = event else { continue }
            #expect(reason == .timeout)
            break
        }
        #expect(pings.withLock { $0 } >= 3)
        await session.close()
        await peer.stop()
    }

    @Test
    func `A connection to a forbidden address fails with the same error whether or not a server listens there`()
        async throws
    {
        let peer = try await WaywardRelay.start(.silent)
        var absent = peer.server
        absent.port = String(TestPort.takeUnused())
        var configuration = SMPClientConfiguration.withShortReconnect
        configuration.transport.addressRule = { host, _, address in
            host != "127.0.0.1" || address.ipAddress != "127.0.0.1"
        }
        for server in [peer.server, absent] {
            await #expect(throws: SMPClientError.network(.connect("its address belongs to an inner network"))) {
                try await SMPSession.connect(to: server, configuration: configuration, group: WaywardRelay.group) { _ in
                }
            }
        }
        await peer.stop()
    }

    @Test
    func `A client session sends no second PING before the first PING times out`() async throws {
        let pings = Mutex(0)
        let peer = try await WaywardRelay.start(
            .answers { _, _ in
                pings.withLock { $0 += 1 }
                return []
            }
        )
        var configuration = SMPClientConfiguration.withShortTimeouts
        configuration.transport.responseTimeout = .milliseconds(300)
        (configuration.pingInterval, configuration.maxSilentTimeouts) = (.microseconds(100), 2)
        let (events, continuation) = AsyncStream.makeStream(of: SMPSessionEvent.self)
        let session = try await SMPSession.connect(
            to: peer.server,
            configuration: configuration,
            group: WaywardRelay.group
        ) { continuation.yield($0) }
        for await case .closed(let reason) in events {
            #expect(reason == .timeout)
            break
        }
        #expect(pings.withLock { $0 } <= 2)
        await session.close()
        await peer.stop()
    }

    @Test(arguments: [
        ([WaywardRelay.Reply.raw(Array("NONSENSE".utf8))], SMPClientError.response("unparsable answer")),
        ([.message(.ok, corrID: [], entityID: [1]), .raw([])], .response("unparsable answer")),
    ])
    func `An answer that cannot be parsed makes only its own command fail`(
        replies: [WaywardRelay.Reply],
        error: SMPClientError
    ) async throws {
        let peer = try await WaywardRelay.start(
            .answers { received, _ in received.entityID.isEmpty ? [.answer(.pong)] : replies }
        )
        let session = try await connectSession(peer)
        await #expect(throws: error) {
            try await session.sendRequest(SMPRequest(.send(.none, body: []), entityID: [9]))
        }
        #expect(try await session.sendRequest(SMPRequest(.ping)) == .pong)
        await session.close()
        await peer.stop()
    }

    @Test
    func `A command fails if its answer has the id of a different queue`() async throws {
        let peer = try await WaywardRelay.start(
            .answers { received, _ in [.message(.ok, corrID: received.corrID, entityID: [8])] }
        )
        let session = try await connectSession(peer)
        await #expect(throws: SMPClientError.unexpected("OK")) {
            try await session.sendRequest(SMPRequest(.send(.none, body: []), entityID: [9]))
        }
        await session.close()
        await peer.stop()
    }

    @Test
    func `An invalid or incomplete block from the relay ends the session with a temporary error`() async throws {
        for reply in [WaywardRelay.Reply.garbageBlock, .closeInsideBlock, .close] {
            let peer = try await WaywardRelay.start(.answers { _, _ in [reply] })
            let session = try await connectSession(peer)
            let error = await #expect(throws: SMPClientError.self) { try await session.sendRequest(SMPRequest(.ping)) }
            #expect(error?.isTemporary == true, "\(String(describing: error))")
            let later = await #expect(throws: SMPClientError.self) { try await session.sendRequest(SMPRequest(.ping)) }
            #expect(later?.isTemporary == true)
            await session.close()
            await peer.stop()
        }
    }
}
