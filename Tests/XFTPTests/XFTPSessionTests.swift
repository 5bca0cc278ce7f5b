import NIOPosix
import SMP
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing
import Transport
import XFTP
import XFTPTestSupport

/// Sessions with a server that speaks the protocol over TLS and HTTP/2.
@Suite(.socketTimeLimit) struct XFTPSessionTests {
    static func connect(
        _ server: ProtocolServer,
        _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) async throws(XFTPClientError) -> XFTPSession {
        var configuration = TransportConfiguration()
        configuration.connectTimeout = .seconds(10)
        configuration.responseTimeout = .seconds(10)
        change(&configuration)
        return try await XFTPSession.connect(
            to: server,
            configuration: configuration,
            group: MultiThreadedEventLoopGroup.singleton
        )
    }

    /// A chunk, and the keys of its sender and two recipients.
    struct Upload {
        let chunk: [UInt8]
        let (sender, first, second): (AuthorizationPrivateKey, AuthorizationPrivateKey, AuthorizationPrivateKey)
        var digest: [UInt8] { Digest.sha256(chunk) }
        var file: ChunkInfo { ChunkInfo(senderKey: sender.publicKey, size: UInt32(chunk.count), digest: digest) }

        init(size: Int = 65536) throws {
            chunk = RandomBytes.make(count: size)
            (sender, first, second) = (.ed25519(try .init()), .ed25519(try .init()), .ed25519(try .init()))
        }
    }

    @Test(arguments: [65536, 4_194_304])
    func `A recipient can download a chunk until the recipient acknowledges the chunk`(size: Int) async throws {
        let server = try await FileServer()
        let session = try await Self.connect(server.server)
        let upload = try Upload(size: size)
        try await session.sendPing()
        let ids = try await session.createChunk(upload.file, recipients: [upload.first.publicKey], key: upload.sender)
        let more = try await session.addRecipients([upload.second.publicKey], to: ids.senderID, key: upload.sender)
        try await session.uploadChunk(upload.chunk, to: ids.senderID, key: upload.sender)
        // The chunk is uploaded a second time, as after a lost answer.
        try await session.uploadChunk(upload.chunk, to: ids.senderID, key: upload.sender)
        let recipients = [(ids.recipientIDs[0], upload.first), (more[0], upload.second)]
        for (id, key) in recipients {
            #expect(try await session.downloadChunk(id, size: size, digest: upload.digest, key: key) == upload.chunk)
        }
        try await session.acknowledgeChunk(more[0], key: upload.second)
        await #expect(throws: XFTPClientError.xftp(.auth)) {
            try await session.downloadChunk(more[0], size: size, digest: upload.digest, key: upload.second)
        }
        try await session.deleteChunk(ids.senderID, key: upload.sender)
        #expect(server.chunkCount == 0)
        #expect(
            server.requests.prefix(3) == ["hello", "hello", "PING"] && session.parameters.version == XFTPVersion(3)
        )
        await session.close()
        await server.stop()
    }

    @Test
    func `An XFTP session uses the highest version that client and server support`() async throws {
        for highest in 1...3 as ClosedRange<UInt16> {
            var configuration = FileServer.Configuration()
            configuration.versions = ProtocolVersionRange(SMPVersion(1), SMPVersion(highest))
            let server = try await FileServer(configuration)
            let session = try await Self.connect(server.server)
            try await session.sendPing()
            #expect(session.parameters.version == XFTPVersion(highest))
            await server.stop()
        }
        var old = FileServer.Configuration()
        old.offersALPN = false
        let server = try await FileServer(old)
        let session = try await Self.connect(server.server)
        let upload = try Upload()
        let ids = try await session.createChunk(upload.file, recipients: [upload.first.publicKey], key: upload.sender)
        try await session.uploadChunk(upload.chunk, to: ids.senderID, key: upload.sender)
        #expect(
            try await session.downloadChunk(ids.recipientIDs[0], size: 65536, digest: upload.digest, key: upload.first)
                == upload.chunk
        )
        #expect(server.requests == ["FNEW", "FPUT", "FGET"] && session.parameters.version == .initial)
        await server.stop()
        var newer = FileServer.Configuration()
        newer.versions = ProtocolVersionRange(SMPVersion(4), SMPVersion(5))
        let stranger = try await FileServer(newer)
        await #expect(throws: XFTPClientError.broker(.transport(.version))) { try await Self.connect(stranger.server) }
        await stranger.stop()
    }

    @Test
    func `Concurrent commands of one XFTP session are all answered`() async throws {
        let server = try await FileServer()
        let session = try await Self.connect(server.server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let upload = try Upload()
                    let ids = try await session.createChunk(
                        upload.file,
                        recipients: [upload.first.publicKey],
                        key: upload.sender
                    )
                    try await session.uploadChunk(upload.chunk, to: ids.senderID, key: upload.sender)
                    #expect(
                        try await session.downloadChunk(
                            ids.recipientIDs[0],
                            size: 65536,
                            digest: upload.digest,
                            key: upload.first
                        ) == upload.chunk
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(server.chunkCount == 10)
        await server.stop()
    }

    @Test
    func `A refusal by a file server is thrown as the error that the server sent`() async throws {
        var configuration = FileServer.Configuration()
        configuration.password = "secret"
        configuration.quota = 65536
        let server = try await FileServer(configuration)
        let session = try await Self.connect(server.server)
        let upload = try Upload()
        func create(_ file: ChunkInfo, _ password: String?) async throws(XFTPClientError) -> [UInt8] {
            try await session.createChunk(
                file,
                recipients: [upload.first.publicKey],
                password: password,
                key: upload.sender
            )
            .senderID
        }
        for password in [nil, "wrong"] {
            await #expect(throws: XFTPClientError.xftp(.auth)) { try await create(upload.file, password) }
        }
        var odd = upload.file
        odd.size = 1000
        await #expect(throws: XFTPClientError.xftp(.size)) { try await create(odd, "secret") }
        var other = upload.file
        other.digest[0] ^= 1
        let wrong = try await create(other, "secret")
        await #expect(throws: XFTPClientError.xftp(.digest)) {
            try await session.uploadChunk(upload.chunk, to: wrong, key: upload.sender)
        }
        await #expect(throws: XFTPClientError.xftp(.size)) {
            try await session.uploadChunk([1, 2, 3], to: wrong, key: upload.sender)
        }
        let ids = [try await create(upload.file, "secret"), try await create(upload.file, "secret")]
        await #expect(throws: XFTPClientError.xftp(.auth)) {
            try await session.uploadChunk(upload.chunk, to: ids[0], key: upload.second)
        }
        try await session.uploadChunk(upload.chunk, to: ids[0], key: upload.sender)
        await #expect(throws: XFTPClientError.xftp(.quota)) {
            try await session.uploadChunk(upload.chunk, to: ids[1], key: upload.sender)
        }
        await #expect(throws: XFTPClientError.xftp(.auth)) {
            try await session.deleteChunk([1, 2, 3], key: upload.sender)
        }
        try await session.sendPing()
        await server.stop()
    }

    @Test(
        arguments: [
            (.sendsGarbageHello, .transport(.badBlock)), (.sendsOtherSession, .transport(.badSession)),
            (.sendsForgedKey, .transport(.handshake(.badAuth))),
            (.refusesHello, .transport(.badBlock)), (.noise, .network(.failed)),
            (.floodsFrames(HTTP2Bytes.windowUpdateFrame), .network(.failed)),
            (.floodsFrames(HTTP2Bytes.informationalHeaders), .network(.failed)),
        ] as [(FileServer.Fault, SMPBrokerError)]
    )
    func `A connection to a file server with a faulty handshake fails with an error for the kind of fault`(
        fault: FileServer.Fault,
        error: SMPBrokerError
    ) async throws {
        let server = try await FileServer(FileServer.Configuration(fault: fault))
        await #expect(throws: XFTPClientError.broker(error)) { try await Self.connect(server.server) }
        await server.stop()
    }

    @Test(
        arguments: [
            (.garbles("PING"), .response("BLOCK")), (.answersOK(to: "PING"), .unexpected("OK")),
            (.closes(on: "PING"), .network(.failed)),
            (.ignores("PING"), .timeout),
        ] as [(FileServer.Fault, SMPBrokerError)]
    )
    func `Each kind of malformed, unexpected or missing answer of a file server causes its specific error`(
        fault: FileServer.Fault,
        error: SMPBrokerError
    ) async throws {
        let server = try await FileServer(FileServer.Configuration(fault: fault))
        let patience: Int64 = fault == .ignores("PING") ? 3_000 : 10_000
        let session = try await Self.connect(server.server) {
            $0.connectTimeout = .milliseconds(patience)
            $0.responseTimeout = .milliseconds(1)
        }
        await #expect(throws: XFTPClientError.broker(error)) { try await session.sendPing() }
        await server.stop()
    }

    @Test(
        arguments: [
            (.otherChunk, "DIGEST"), (.damagedChunk, "CRYPTO"), (.shortChunk, "SIZE"), (.longChunk, "SIZE"),
            (.noChunk, "NO_FILE"),
        ]
            as [(FileServer.Fault, String)]
    )
    func `A downloaded chunk that differs from the uploaded chunk is refused by the client`(
        fault: FileServer.Fault,
        error: String
    ) async throws {
        let server = try await FileServer(FileServer.Configuration(fault: fault))
        let session = try await Self.connect(server.server)
        let upload = try Upload()
        let ids = try await session.createChunk(upload.file, recipients: [upload.first.publicKey], key: upload.sender)
        await #expect(throws: XFTPClientError.xftp(.noFile)) {
            try await session.downloadChunk(ids.recipientIDs[0], size: 65536, digest: upload.digest, key: upload.first)
        }
        try await session.uploadChunk(upload.chunk, to: ids.senderID, key: upload.sender)
        await #expect(throws: XFTPClientError.broker(.response(error))) {
            try await session.downloadChunk(ids.recipientIDs[0], size: 65536, digest: upload.digest, key: upload.first)
        }
        await server.stop()
    }

    @Test
    func `A connection to a file server with a wrong identity or without an answer fails`() async throws {
        let server = try await FileServer()
        var foreign = server.server
        foreign.keyHash[0] ^= 1
        await #expect(throws: XFTPClientError.broker(.network(.unknownCA))) { try await Self.connect(foreign) }
        let silent = try await FileServer(FileServer.Configuration(fault: .silent))
        await #expect(throws: XFTPClientError.broker(.timeout)) {
            try await Self.connect(silent.server) { $0.connectTimeout = .seconds(3) }
        }
        var nobody = server.server
        nobody.port = "1"
        await #expect { try await Self.connect(nobody) } throws: { error in
            if case .broker(.network(.connect)) = error as? XFTPClientError { true } else { false }
        }
        let mute = try await SilentServer(port: 0)
        nobody.port = String(mute.port)
        await #expect(throws: XFTPClientError.broker(.network(.timeout))) {
            try await Self.connect(nobody) { $0.connectTimeout = .milliseconds(200) }
        }
        await mute.stop()
        await silent.stop()
        await server.stop()
    }

    @Test(arguments: [300, 1500, 3000, 20_000, 40_000, 90_000])
    func `An XFTP command fails if its connection breaks`(bytes: Int) async throws {
        let server = try await FileServer()
        let proxy = try await CuttingProxy(to: server.server, cuts: [bytes])
        let upload = try Upload()
        await #expect(throws: XFTPClientError.self) {
            let session = try await Self.connect(proxy.server)
            let ids = try await session.createChunk(
                upload.file,
                recipients: [upload.first.publicKey],
                key: upload.sender
            )
            try await session.uploadChunk(upload.chunk, to: ids.senderID, key: upload.sender)
            _ = try await session.downloadChunk(
                ids.recipientIDs[0],
                size: 65536,
                digest: upload.digest,
                key: upload.first
            )
        }
        await proxy.stop()
        await server.stop()
    }

    @Test
    func `An XFTP command to a closed session fails`() async throws {
        let server = try await FileServer()
        let session = try await Self.connect(server.server)
        await session.close()
        await #expect(throws: XFTPClientError.self) { try await session.sendPing() }
        await server.stop()
    }

    @Test
    func `A file server is reached by its onion name through the SOCKS proxy`() async throws {
        let (server, socks) = (try await FileServer(), try await SOCKSServer.start())
        var named = server.server
        named.hosts = [.domain("files.example"), .onion("abc234.onion")]
        let session = try await Self.connect(named) {
            $0.socks = SOCKSProxy(
                port: UInt16(truncatingIfNeeded: socks.port),
                credentials: .init(username: "me", password: "")
            )
        }
        try await session.sendPing()
        #expect(
            socks.requests.map(\.host) == ["abc234.onion"] && socks.requests.map(\.username) == ["me"]
                && session.host.str == "abc234.onion"
        )
        await session.close()
        await socks.stop()
        await server.stop()
    }
}
