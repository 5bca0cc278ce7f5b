import NIOCore
import NIOPosix
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import Transport
import XFTP

@testable import XFTPRelay

@Suite("File relay: hostile clients", .socketTimeLimit)
struct HostileClientTests {
    /// Expects that the relay still serves other clients.
    private func expectAlive(_ relay: TestFileRelay) async throws {
        let session = try await relay.connect()
        try await TestFile.createAndUpload(session).checkDownload(session)
    }

    private func parseResponse(_ body: [UInt8], _ session: XFTPSessionParameters) throws -> FileResponse {
        try session.parseResponse(in: body)
    }

    @Test
    func `A file relay accepts a valid hello after it has refused invalid hellos`() async throws {
        try await withFileRelay { relay in
            let client = try await RawFileClient(relay.relay.address)
            let refused = try XFTPBlock.pad(Array("HANDSHAKE".utf8))
            #expect(try await client.post([1, 2, 3]) == refused)
            let hello = try await client.post([])
            let handshake = XFTPClientHandshake(
                sessionID: client.tls.channelBinding,
                keyHash: relay.relay.address.keyHash,
                leafCertificate: client.tls.peerCertificates.first
            )
            let (good, session) = try handshake.makeClientHello(serverHello: hello)
            let stranger = try XFTPBlock.pad(
                try XFTPClientHello(version: XFTPVersion(3), keyHash: [UInt8](repeating: 7, count: 32)).smpEncoded()
            )
            let newer = try XFTPBlock.pad(
                try XFTPClientHello(version: XFTPVersion(4), keyHash: relay.relay.address.keyHash).smpEncoded()
            )
            for wrong in [[], [1], [UInt8](repeating: 0xFF, count: 16384), stranger, newer, Array(good.dropLast())] {
                #expect(try await client.post(wrong) == refused)
            }
            #expect(try await client.post(good).isEmpty)
            #expect(try parseResponse(try await client.post(try session.encodeBlock(.ping)), session) == .pong)
            client.close()
        }
    }

    @Test
    func `Malformed blocks and commands of file relay clients get specific errors`() async throws {
        try await withFileRelay { relay in
            let client = try await RawFileClient(relay.relay.address)
            let session = try await client.openSession(relay.relay.address)
            for noise in [
                [], [1], RandomBytes.make(count: 16383), [0xFF, 0xFF] + RandomBytes.make(count: 16382),
                [UInt8](repeating: 0, count: 16384),
            ] {
                #expect(try parseResponse(try await client.post(noise), session) == .err(.block))
            }
            var other = session
            other.sessionID[0] ^= 1
            #expect(throws: XFTPServerError.session) {
                try other.parseResponse(in: try session.encodeBlock(.ok, entityID: [1], corrID: []))
            }
            #expect(try parseResponse(try await client.post(try other.encodeBlock(.ping)), session) == .err(.session))
            let key = AuthorizationPrivateKey.ed25519(try .init())
            #expect(
                try parseResponse(try await client.post(try session.encodeBlock(.ping, entityID: [1])), session)
                    == .err(.cmd(.hasAuth))
            )
            #expect(
                try parseResponse(try await client.post(try session.encodeBlock(.fdel, entityID: [1])), session)
                    == .err(.cmd(.noAuth))
            )
            #expect(
                try parseResponse(try await client.post(try session.encodeBlock(.fdel, key: key)), session)
                    == .err(.cmd(.noAuth))
            )
            #expect(
                try parseResponse(
                    try await client.post(try session.encodeBlock(.fdel, entityID: [1], key: key)),
                    session
                )
                    == .err(.auth)
            )
            // An upload without contents.
            let file = try TestFile()
            let right = try parseResponse(
                try await client.post(
                    try session.encodeBlock(
                        .fnew(file.info, recipients: [file.recipient.publicKey], password: nil),
                        key: file.sender
                    )
                ),
                session
            )
            guard case .sids(let senderID, _) = right else { throw XFTPServerError.auth }
            #expect(
                try parseResponse(
                    try await client.post(try session.encodeBlock(.fput, entityID: senderID, key: file.sender)),
                    session
                ) == .err(.size)
            )
            client.close()
            try await expectAlive(relay)
        }
    }

    @Test
    func `A file relay client without ALPN uses version 1, and a client with an unknown ALPN is refused`() async throws
    {
        try await withFileRelay { relay in
            await #expect(throws: (any Error).self) {
                try await RawFileClient(relay.relay.address, protocolName: "smp/1")
            }
            let client = try await RawFileClient(relay.relay.address, protocolName: nil)
            let session = XFTPSessionParameters(version: .initial, sessionID: client.tls.channelBinding)
            #expect(try parseResponse(try await client.post(try session.encodeBlock(.ping)), session) == .pong)
            #expect(try await client.startRequest("GET").waitForBody().isEmpty)
            client.close()
            let web = try await RawFileClient(relay.relay.address, protocolName: TLSSession.webProtocol)
            #expect(try await web.openSession(relay.relay.address).version == XFTPVersion(3))
            web.close()
        }
    }

    /// A client with a file that was created and not uploaded.
    private func prepareUpload(
        _ relay: TestFileRelay,
        size: Int = 1_048_576
    ) async throws -> (client: RawFileClient, session: XFTPSessionParameters, file: TestFile, block: [UInt8]) {
        let file = try await TestFile.createFile(try await relay.connect(), size: size)
        let client = try await RawFileClient(relay.relay.address)
        let session = try await client.openSession(relay.relay.address)
        return (client, session, file, try session.encodeBlock(.fput, entityID: file.senderID, key: file.sender))
    }

    private func expectNothingLeft(_ relay: TestFileRelay) async throws {
        try await waitUntil("no partial upload is left") {
            relay.incomingPaths.isEmpty && relay.relay.statistics["bytes_reserved"] == 0
        }
    }

    @Test(arguments: [false, true])
    func `A cancelled or interrupted upload to a file relay leaves no file and can be repeated`(
        closes: Bool
    ) async throws {
        try await withFileRelay { relay in
            let (client, _, file, block) = try await prepareUpload(relay)
            let request = try await client.startRequest()
            try await request.sendBytes(block + file.contents.prefix(700_000))
            try await waitUntil("a part of the upload is written") { !relay.incomingPaths.isEmpty }
            #expect(relay.relay.statistics["bytes_reserved"] == 1_048_576)
            if closes { client.close() } else { request.cancel() }
            try await expectNothingLeft(relay)
            #expect(relay.contentPaths.isEmpty && relay.relay.statistics["uploads_failed"] == 1)
            let session = try await relay.connect()
            #expect(try await catchRefusal { try await file.checkDownload(session) } == .noFile)
            try await file.upload(session)
            try await file.checkDownload(session)
            client.close()
        }
    }

    @Test
    func `An upload to a file relay that stalls fails with TIMEOUT, and the next upload succeeds`() async throws {
        try await withFileRelay({ ($0.uploadTimeoutSeconds, $0.maxUploads) = (1, 1) }) { relay in
            let (client, session, file, block) = try await prepareUpload(relay)
            let request = try await client.startRequest()
            try await request.sendBytes(block + file.contents.prefix(300_000))
            try await waitUntil("a part of the upload is written") { !relay.incomingPaths.isEmpty }
            #expect(try parseResponse(try await request.waitForBody(), session) == .err(.timeout))
            try await expectNothingLeft(relay)
            try await expectAlive(relay)
            client.close()
        }
    }

    @Test
    func `A file relay ends a request without a complete first block, and a download that is not read`()
        async throws
    {
        try await withFileRelay({ $0.requestTimeoutSeconds = 1 }) { relay in
            let client = try await RawFileClient(relay.relay.address, window: 16384)
            let session = try await client.openSession(relay.relay.address)
            let request = try await client.startRequest()
            try await request.sendBytes([UInt8](repeating: 1, count: 100))
            await #expect(throws: RawRequest.StreamReset.self) { try await request.waitForBody() }
            let file = try await TestFile.createAndUpload(try await relay.connect(), size: 4_194_304)
            let download = try await client.startRequest()
            try await download.pauseReading()
            try await download.sendBytes(
                try session.encodeBlock(
                    .fget(try X25519.PrivateKey().publicKey),
                    entityID: file.recipientID,
                    key: file.recipient
                ),
                isLast: true
            )
            try await waitUntil("the download is stopped") {
                relay.relay.statistics["downloads"] == 0 && relay.relay.statistics["requests_open"] == 0
            }
            client.close()
            try await expectAlive(relay)
        }
    }

    @Test
    func `A file relay ends a refused upload if the client keeps sending`() async throws {
        try await withFileRelay({ $0.maxTotalBytes = 1000 }) { relay in
            let (client, session, file, block) = try await prepareUpload(relay)
            let request = try await client.startRequest()
            try await request.sendBytes(block + file.contents)
            #expect(try parseResponse(try await request.waitForBody(), session) == .err(.quota))
            await #expect(throws: (any Error).self) {
                for _ in 0..<200 { try await request.sendBytes(file.contents) }
            }
            client.close()
        }
    }

    @Test
    func `A file relay closes a connection without a first byte or without a handshake in time`() async throws {
        try await withFileRelay({ ($0.firstByteTimeoutSeconds, $0.handshakeTimeoutSeconds) = (1, 1) }) { relay in
            let mute = try await ClientBootstrap(group: TestFileRelay.group).connect(
                host: "127.0.0.1",
                port: relay.configuration.port
            ).get()
            try await mute.closeFuture.get()
            let client = try await RawFileClient(relay.relay.address)
            try await client.waitUntilClosed()
            try await waitUntil("both connections are counted") { relay.relay.statistics["handshakes_failed"] == 2 }
            // On a slow machine the short timeouts may also end this client, so it tries several times.
            try await waitUntil("other clients are served") { (try? await expectAlive(relay)) != nil }
        }
    }

    @Test
    func `A file relay refuses a connection above its limit until another connection closes`() async throws {
        try await withFileRelay({ $0.maxConnections = 3 }) { relay in
            let clients = [
                try await RawFileClient(relay.relay.address), try await RawFileClient(relay.relay.address),
                try await RawFileClient(relay.relay.address),
            ]
            await #expect(throws: (any Error).self) { try await RawFileClient(relay.relay.address) }
            for client in clients { client.close() }
            try await waitUntil("the connections are closed") { relay.relay.statistics["sessions_open"] == 0 }
            try await expectAlive(relay)
        }
    }

    @Test
    func `If a file is deleted during its upload, the upload fails with AUTH`() async throws {
        try await withFileRelay { relay in
            let (client, session, file, block) = try await prepareUpload(relay)
            let request = try await client.startRequest()
            try await request.sendBytes(block + file.contents.dropLast())
            try await waitUntil("a part of the upload is written") { !relay.incomingPaths.isEmpty }
            try await file.delete(try await relay.connect())
            try await request.sendBytes([file.contents[1_048_575]], isLast: true)
            #expect(try parseResponse(try await request.waitForBody(), session) == .err(.auth))
            try await expectNothingLeft(relay)
            #expect(relay.contentPaths.isEmpty && relay.relay.statistics["bytes_stored"] == 0)
            client.close()
        }
    }
}
