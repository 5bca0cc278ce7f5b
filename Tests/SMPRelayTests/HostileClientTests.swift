import Descriptors
import Foundation
import NIOCore
import NIOPosix
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import SMPRelay

@Suite("Relay: hostile clients", .socketTimeLimit)
struct HostileClientTests {
    /// Expects that the relay still serves other clients.
    private func expectAlive(_ relay: TestRelay) async throws {
        let session = try await relay.connect()
        let queue = try await session.createQueue()
        #expect(try await session.post("still there", to: queue) == .ok)
        #expect(try await session.nextMessage(queue).text == "still there")
    }

    @Test(arguments: UInt16(6)...20)
    func `A block of random bytes is answered with ERR BLOCK`(version: UInt16) async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address, version: version)
            var noise = RandomBytes.make(count: BlockCipher.blockSize)
            // The first two bytes are a length greater than a block, for versions without encryption.
            (noise[0], noise[1]) = (0xFF, 0xFF)
            try await client.send(noise)
            let answer = try await client.receiveAnswer()
            #expect(answer.corrID.isEmpty && answer.message == .err(.block))
            try await expectAlive(relay)
        }
    }

    @Test(
        arguments: [
            [], [0], [1], [1, 0], [1, 0, 0], [1, 0, 1, 0], [2, 0, 1, 0], [1, 0, 5, 4, 1, 2, 3], [1, 0, 3, 3, 1, 2],
        ] as [[UInt8]]
    )
    func `Empty, truncated and overlong batches and transmissions are answered with ERR BLOCK`(
        content: [UInt8]
    ) async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address)
            try await client.sendBlock(content)
            #expect(try await client.receiveAnswer().message == .err(.block))
        }
    }

    @Test
    func `The error for an unknown or malformed command contains the command's correlation id`() async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address)
            let commands: [(String, BrokerMessage)] = [
                ("HELLO", .err(.cmd(.unknown))), ("", .err(.cmd(.unknown))), ("PING ", .err(.cmd(.syntax))),
                ("NEW", .err(.cmd(.syntax))), ("NEW xyz", .err(.cmd(.syntax))), ("PING", .pong),
                ("SUB", .err(.cmd(.noAuth))),
                ("SEND F x", .err(.cmd(.noEntity))),
            ]
            for (index, (command, expected)) in commands.enumerated() {
                let corrID = [UInt8](repeating: UInt8(index), count: 24)
                try await client.sendTransmission([0, 24] + corrID + [0] + Array(command.utf8))
                let answer = try await client.receiveAnswer()
                #expect(answer.corrID == corrID && answer.message == expected, "\(command)")
            }
        }
    }

    @Test(arguments: [6, 11, 15, 18, 20] as [UInt16])
    func `A relay answers changed transmissions, and still serves valid ones`(version: UInt16) async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address, version: version)
            let parameters = try #require(client.parameters)
            let (key, corrID) = (try Ed25519.PrivateKey(), [UInt8](repeating: 7, count: 24))
            let request = NewQueueRequest(
                authKey: .ed25519(key.publicKey),
                dhKey: try X25519.PrivateKey().publicKey,
                data: .contact(
                    .init(
                        linkID: RandomBytes.make(count: 24),
                        senderID: QueueRequestData.senderID(corrID: corrID),
                        data: QueueLinkData(encFixedData: [1, 2, 3], encUserData: [4, 5])
                    )
                ),
                notifier: NewNotifierCredentials(
                    authKey: .ed25519(key.publicKey),
                    dhKey: try X25519.PrivateKey().publicKey
                )
            )
            let content = try TransmissionContent(.new(request), corrID: corrID, entityID: [], session: parameters)
            let valid = content.encodeTransmission(authorization: try key.sign(content.authorizedBytes))
            for bytes in makeMutations(of: valid, count: 150) {
                try await client.sendTransmission(bytes)
                _ = try await client.receiveAnswer()
            }
            try await expectAlive(relay)
        }
    }

    @Test(arguments: 0..<3)
    func `The relay closes a connection with a hello for another relay or for an unsupported version`(
        kind: Int
    ) async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address, version: nil)
            let address = relay.relay.address
            let hello =
                switch kind {
                case 0:
                    ClientHello(
                        version: SMPVersion(11),
                        keyHash: RandomBytes.make(count: 32),
                        key: try X25519.PrivateKey().publicKey
                    )
                case 1: ClientHello(version: SMPVersion(5), keyHash: address.keyHash, key: nil)
                default: ClientHello(version: SMPVersion(99), keyHash: address.keyHash, key: nil)
                }
            try await client.send(try BlockCipher.sealUnencrypted(try hello.smpEncoded()))
            try await client.waitUntilClosed()
            let other = try await RawClient(address, version: nil)
            try await other.send(RandomBytes.make(count: BlockCipher.blockSize))
            try await other.waitUntilClosed()
            try await expectAlive(relay)
        }
    }

    @Test
    func `The relay serves other clients after a client disconnects in the middle of a block`() async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address)
            try await client.send(RandomBytes.make(count: 9000))
            await client.close()
            try await expectAlive(relay)
        }
    }

    @Test(arguments: [true, false])
    func `A client that sends no hello in time is disconnected from the relay`(speaksTLS: Bool) async throws {
        try await withRelay({ $0.handshakeTimeoutSeconds = 0 }) { relay in
            if speaksTLS {
                // With a timeout of 0 the TLS handshake itself may fail: then `client` is nil.
                let client = try? await RawClient(relay.relay.address, version: nil)
                try await client?.waitUntilClosed()
            } else {
                let port = Int(try #require(relay.relay.address.portNumber))
                let channel = try await ClientBootstrap(group: TestRelay.group).connect(host: "127.0.0.1", port: port)
                    .get()
                try await channel.closeFuture.get()
            }
        }
    }

    @Test
    func `A relay ends an idle session only if the session has no subscriptions`() async throws {
        try await withRelay({ $0.idleTimeoutSeconds = 3 }) { relay in
            let (idle, subscribed) = (try await relay.connect(), try await relay.connect())
            let queue = try await subscribed.createQueue()
            try await idle.waitUntilClosed()
            #expect(try await subscribed.post("a", to: queue) == .ok)
        }
    }

    @Test
    func `A relay closes a connection that sends no first byte before the timeout`() async throws {
        try await withRelay({ $0.firstByteTimeoutSeconds = 1 }) { relay in
            let port = Int(try #require(relay.relay.address.portNumber))
            let (silent, begun) = (
                try await ClientBootstrap(group: TestRelay.group).connect(host: "127.0.0.1", port: port).get(),
                try await ClientBootstrap(group: TestRelay.group).connect(host: "127.0.0.1", port: port).get()
            )
            try await begun.writeAndFlush(ByteBuffer(bytes: [0x16])).get()
            try await silent.closeFuture.get()
            #expect(begun.isActive)
            try await begun.close().get()
        }
    }

    @Test
    func `If 200 clients connect at the same time, the relay closes the 198 connections above the limit`() async throws
    {
        // Long timeouts keep accepted connections open until the test closes them, even on a slow machine.
        try await withRelay({
            ($0.maxConnections, $0.firstByteTimeoutSeconds, $0.handshakeTimeoutSeconds) = (3, 3600, 3600)
        }) {
            relay in
            let first = try await relay.connect()
            let port = Int(try #require(relay.relay.address.portNumber))
            var flood: [any Channel] = []
            for _ in 0..<200 {
                flood.append(
                    try await ClientBootstrap(group: TestRelay.group).connect(host: "127.0.0.1", port: port).get()
                )
            }
            // The relay may accept the connections in another order than the test makes them.
            try await waitUntil("198 connections are closed") { flood.count { !$0.isActive } == 198 }
            #expect(relay.relay.counts.sessions == 3)
            #expect(try await first.send(.ping) == .pong)
            for channel in flood where channel.isActive { try await channel.close().get() }
            try await waitUntil("the connections are closed") { relay.relay.counts.sessions == 1 }
            _ = try await relay.connect()
        }
    }

    @Test
    func `A connection above the client's own limit of connections fails with a temporary error`() async throws {
        try await withRelay { relay in
            var configuration = SMPClientConfiguration()
            configuration.transport.connectionAllowance = Allowance(1)
            func connect() async throws -> SMPSession {
                try await SMPSession.connect(
                    to: relay.relay.address,
                    configuration: configuration,
                    group: TestRelay.group
                ) { _ in }
            }
            let first = try await connect()
            do {
                _ = try await connect()
                Issue.record("the connection was opened")
            } catch let error as SMPClientError {
                #expect(error.isTemporary && "\(error)".contains("all 1 connections"), "\(error)")
            }
            await first.close()
            try await waitUntil("the connection is closed") {
                configuration.transport.connectionAllowance?.inUseCount == 0
            }
            await (try await connect()).close()
        }
    }

    @Test
    func `A relay refuses a session above its limit until another session ends`() async throws {
        try await withRelay({ $0.maxConnections = 1 }) { relay in
            let first = try await relay.connect()
            await #expect(throws: SMPClientError.self) { try await relay.connect() }
            #expect(try await first.send(.ping) == .pong)
            await first.session.close()
            try await waitUntil("no session") { relay.relay.counts.sessions == 0 }
            _ = try await relay.connect()
        }
    }

    @Test
    func `A relay refuses a queue above its limit with ERR STORE until a queue is deleted`() async throws {
        try await withRelay({ $0.maxQueues = 2 }) { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            _ = try await session.createQueue()
            await #expect { try await session.createQueue() } throws: {
                ($0 as? UnexpectedAnswer)?.answer == .err(.store("full"))
            }
            #expect(relay.relay.counts.queues == 2)
            #expect(try await session.send(.del, queue.rcvID, queue.rcvKey) == .ok)
            _ = try await session.createQueue()
        }
    }

    /// Output that waits in the relay: number of pending answers, bytes that sockets have not taken, and whether the
    /// relay has paused reading from a session.
    private func measureOutput(_ relay: TestRelay) async throws -> (answers: Int, bytes: Int, isPaused: Bool) {
        var sum = (answers: 0, bytes: 0, isPaused: false)
        for loop in relay.relay.context.loops.values {
            let part = try await loop.eventLoop.submit {
                var part = (answers: 0, bytes: 0, isPaused: false)
                loop.forEachConnection { connection in
                    part.answers += connection.waitingOutputCount
                    part.bytes += (try? connection.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
                    part.isPaused = part.isPaused || connection.isReadingPaused
                }
                return part
            }.get()
            sum = (sum.answers + part.answers, sum.bytes + part.bytes, sum.isPaused || part.isPaused)
        }
        return sum
    }

    @Test
    func `The relay stops reading from a client while the client does not read its answers`() async throws {
        try await withRelay { relay in
            let client = try await RawClient(relay.relay.address, receiveBuffer: 4096)
            try await client.setReads(false)
            let (blocks, perBlock) = (240, 250)
            let pings = (0..<perBlock).map {
                [UInt8]([0, 24]) + [UInt8](repeating: UInt8($0), count: 24) + [0] + Array("PING".utf8)
            }
            let block: [UInt8] =
                [UInt8(pings.count)] + pings.flatMap { ping -> [UInt8] in [0, UInt8(ping.count)] + ping }
            // The task ends only when the relay has read all blocks.
            let sending = Task { for _ in 0..<blocks { try await client.sendBlock(block) } }
            try await waitUntil("the relay no longer reads") { try await measureOutput(relay).isPaused }
            let waiting = try await measureOutput(relay)
            // One turn of the event loop (four reads of 64 KiB) may exceed the mark.
            #expect(waiting.answers <= ClientConnection.maxWaitingEntries + 16 * perBlock)
            // The answers to these reads may exceed the mark of the channel.
            #expect(waiting.bytes <= (256 << 10) + 16 * BlockCipher.blockSize)
            try await client.setReads(true)
            var answered = 0
            while answered < blocks * perBlock {
                answered += try await client.receiveAnswers().filter { $0.message == .pong }.count
            }
            try await sending.value
            try await waitUntil("no answer waits") {
                let rest = try await measureOutput(relay)
                return rest.answers == 0 && !rest.isPaused
            }
        }
    }

    @Test
    func `Relay connections that break in any state are released from memory`() async throws {
        weak var held: LogRecorder?
        do {
            let recorder = LogRecorder()
            held = recorder
            var configuration = RelayConfiguration(directory: NSTemporaryDirectory() + "relay-\(UUID().uuidString)")
            (configuration.keyAlgorithm, configuration.port) = (.ed25519, TestPort.takeUnused())
            // Each connection holds the logger of the relay, and the logger holds the recorder. So a leaked connection
            // keeps the recorder.
            let relay = try await Relay.start(
                configuration: configuration,
                group: TestRelay.group,
                logger: recorder.makeLogger(.critical)
            )
            let noise = RandomBytes.make(count: BlockCipher.blockSize)
            let address = relay.address
            let port = Int(try #require(address.portNumber))
            try await runRepeatedly { number in
                switch number % 4 {
                // The client sends part of a TLS record.
                case 0:
                    let bootstrap = ClientBootstrap(group: TestRelay.group)
                    let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
                    try await channel.writeAndFlush(ByteBuffer(bytes: [0x16, 3, 1, 2]))
                    try await channel.close()
                // A random block instead of a hello, then part of another block.
                case 1:
                    let stranger = try await RawClient(address, version: nil)
                    try await stranger.send(noise)
                    try await stranger.waitUntilClosed()
                case 2:
                    let hasty = try await RawClient(address, version: nil)
                    try await hasty.send(Array(noise.prefix(100)))
                    await hasty.close()
                // Commands that end in the middle of a block.
                default:
                    let client = try await RawClient(address)
                    try await client.sendTransmission(
                        [0, 24] + [UInt8](repeating: 1, count: 24) + [0] + Array("PING".utf8)
                    )
                    try await client.send(Array(noise.prefix(100)))
                    await client.close()
                }
            }
            try await waitUntil("the relay has none of them") { relay.counts.sessions == 0 }
            await relay.stopAndWait()
            try FileManager.default.removeItem(atPath: configuration.directory)
        }
        try await waitUntil("no connection is left") { held == nil }
    }
}
