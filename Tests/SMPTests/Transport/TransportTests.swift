import NIOCore
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Transport

@Suite("TLS transport", .socketTimeLimit)
struct TransportTests {
    static let credentials = Result { try ServerCredentials.generateCredentials().credentials }

    private func start() async throws -> (ServerCredentials, EchoServer) {
        let credentials = try Self.credentials.get()
        return (credentials, try await EchoServer.start(credentials))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `Both sides of a TLS connection have the same channel binding and application protocol`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let credentials = try ServerCredentials.generateCredentials(algorithm: algorithm).credentials
        let server = try await EchoServer.start(credentials)
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        let clientSide = try await client.peer.session.get()
        let serverSide = try await server.serverEnd.get().session.get()
        #expect(clientSide.channelBinding == serverSide.channelBinding)
        #expect(clientSide.channelBinding.count == 32)
        #expect(clientSide.applicationProtocol == "smp/1" && serverSide.applicationProtocol == "smp/1")
        #expect(clientSide.peerCertificates == credentials.certificates)
        #expect(serverSide.peerCertificates.isEmpty)
        try await client.channel.close()
        try await server.channel.close()
    }

    @Test
    func `Two TLS connections have different channel bindings`() async throws {
        let (credentials, server) = try await start()
        let first = try await server.connect(fingerprint: credentials.fingerprint).peer.session.get()
        let second = try await server.connect(fingerprint: credentials.fingerprint).peer.session.get()
        #expect(first.channelBinding != second.channelBinding)
        try await server.channel.close()
    }

    @Test
    func `A block that is written before the end of the TLS handshake is sent after the handshake`() async throws {
        let (credentials, server) = try await start()
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        let block = RandomBytes.make(count: BlockCipher.blockSize)
        try await client.channel.writeAndFlush(block)
        #expect(try await client.peer.firstBlock.get() == block)
        try await client.channel.close()
        try await server.channel.close()
    }

    @Test
    func `Many blocks that are sent at once arrive complete and in order`() async throws {
        let credentials = try ServerCredentials.generateCredentials().credentials
        let server = try await EchoServer.start(credentials, echoes: false)
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        let blocks = (0..<40).map { [UInt8](repeating: UInt8($0), count: BlockCipher.blockSize) }
        for block in blocks { client.channel.write(block, promise: nil) }
        client.channel.flush()
        try await client.channel.writeAndFlush(blocks[0])
        // The close happens after all blocks are sent.
        try await client.channel.close()
        let seen = try await server.serverEnd.get().end.get()
        #expect(seen.blocks == blocks + [blocks[0]])
        try await server.channel.close()
    }

    @Test
    func `A relay whose identity differs from the expected one is refused before the session begins`() async throws {
        let (credentials, server) = try await start()
        let other = try ServerCredentials.generateCredentials().credentials
        let client = try await server.connect(fingerprint: other.fingerprint)
        await #expect(throws: TLSError.identityMismatch(actual: credentials.fingerprint)) {
            try await client.peer.session.get()
        }
        let seen = try await client.peer.end.get()
        #expect(seen.session == nil)
        try await server.channel.close()
    }

    @Test
    func `An orderly close of a TLS connection reaches the peer without an error`() async throws {
        let (credentials, server) = try await start()
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        _ = try await client.peer.session.get()
        try await client.channel.close()
        let seen = try await server.serverEnd.get().end.get()
        #expect(seen.hasPeerClosed)
        #expect(seen.errors.isEmpty)
        try await server.channel.close()
    }

    @Test
    func `A TLS connection that ends without close_notify fails as truncated`() async throws {
        let (credentials, server) = try await start()
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        _ = try await client.peer.session.get()
        let serverSide = try await server.serverEnd.get()
        _ = try await serverSide.session.get()
        // A close that starts at the context of the TLS handler skips the handler, and with it close_notify.
        let channel = client.channel
        try await channel.eventLoop.submit {
            let context = try channel.pipeline.syncOperations.context(handlerType: TLSHandler.self)
            context.close(promise: nil)
        }.get()
        let seen = try await serverSide.end.get()
        #expect(seen.errors.map { $0 as? TLSError } == [.connectionTruncated])
        try await server.channel.close()
    }

    @Test
    func `If a peer sends bytes that are not TLS, the TLS connection ends with an error`() async throws {
        let (credentials, server) = try await start()
        let plain = try await server.connectPlain()
        // The bytes are text, since random bytes could look like the start of a TLS record, and the server would wait
        // for its end.
        try await plain.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        let seen = try await server.serverEnd.get().end.get()
        guard case .handshakeFailed? = seen.errors.first as? TLSError else {
            Issue.record("\(seen.errors)")
            return
        }
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        #expect(try await client.peer.session.get().applicationProtocol == "smp/1")
        try await server.channel.close()
    }

    @Test
    func `A client that sends nothing is disconnected when the TLS handshake exceeds its time limit`() async throws {
        let server = try await EchoServer.start(try Self.credentials.get(), handshakeTimeout: .milliseconds(20))
        _ = try await server.connectPlain()
        let seen = try await server.serverEnd.get().end.get()
        #expect(seen.errors.map { $0 as? TLSError } == [.handshakeTimeout])
        try await server.channel.close()
    }

    @Test(arguments: [false, true])
    func `A TLS connection ends when too many unsent bytes wait for the peer`(isOpen: Bool) async throws {
        let (credentials, server) = try await start()
        let client = try await server.connect(fingerprint: credentials.fingerprint)
        if isOpen { _ = try await client.peer.session.get() }
        try await client.channel.eventLoop.submit {
            try client.channel.pipeline.syncOperations.handler(type: TLSHandler.self).unsentBytesLimit = 1 << 20
            // Without a flush, all blocks stay unsent and count towards the limit.
            for _ in 0...64 { client.channel.write([UInt8](repeating: 7, count: BlockCipher.blockSize), promise: nil) }
        }.get()
        let end = try await client.peer.end.get()
        #expect(end.errors.contains { $0 as? TLSError == .tooManyUnsentBytes })
        try await server.channel.close()
    }
}
