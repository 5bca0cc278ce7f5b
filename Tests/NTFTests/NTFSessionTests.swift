import NIOPosix
import NTF
import NTFTestSupport
import SMP
import SMPTestSupport
import SimpleXCrypto
import TestSupport
import Testing

/// Tests of the client with a correct server and with faulty servers.
@Suite(.socketTimeLimit) struct NTFSessionTests {
    private static let token = PushToken(service: .test, text: "abab")

    private struct RegisteringClient {
        let session: NTFSession
        let key: AuthorizationPrivateKey
        let dhKey: X25519.PrivateKey

        init(_ server: ProtocolServer, _ configuration: SMPClientConfiguration = SMPClientConfiguration()) async throws
        {
            session = try await NTFSession.openSession(
                to: server,
                configuration: configuration,
                group: MultiThreadedEventLoopGroup.singleton
            )
            key = .ed25519(try Ed25519.PrivateKey())
            dhKey = try X25519.PrivateKey()
        }

        func registerToken() async throws -> (id: [UInt8], secret: X25519.SharedSecret) {
            let (id, serverKey) = try await session.registerToken(token, key: key, dhKey: dhKey.publicKey)
            return (id, try dhKey.sharedSecret(with: serverKey))
        }
    }

    @Test
    func `A push token passes through each status from its registration to its deletion`() async throws {
        let server = try await NotificationServer()
        let client = try await RegisteringClient(server.server)
        let (id, secret) = try await client.registerToken()
        #expect(try await client.session.checkToken(id, key: client.key) == .registered)
        func code(_ push: NotificationServer.Push) throws -> [UInt8] {
            try NotificationBox.openContent(push.sealedContent, secret: secret, nonce: BoxNonce(padding: push.nonce))
        }
        let first = try #require(server.pushes.first)
        #expect(first.token == Self.token && first.kind == .verification)
        await #expect(throws: SMPClientError.smp(.auth)) {
            try await client.session.sendExpectingOK(.verifyToken(code: [1]), of: id, key: client.key)
        }
        try await client.session.sendExpectingOK(.verifyToken(code: code(first)), of: id, key: client.key)
        #expect(try await client.session.checkToken(id, key: client.key) == .active)
        try await client.session.sendExpectingOK(.setInterval(minutes: 20), of: id, key: client.key)
        await #expect(throws: SMPClientError.smp(.quota)) {
            try await client.session.sendExpectingOK(.setInterval(minutes: 1), of: id, key: client.key)
        }
        let other = PushToken(service: .test, text: "cdcd")
        try await client.session.sendExpectingOK(.replaceToken(other), of: id, key: client.key)
        #expect(try await client.session.checkToken(id, key: client.key) == .registered)
        #expect(server.pushes.last?.token == other)
        try await client.session.sendExpectingOK(
            .verifyToken(code: code(try #require(server.pushes.last))),
            of: id,
            key: client.key
        )
        // The command is signed with a foreign key.
        await #expect(throws: SMPClientError.smp(.auth)) {
            try await client.session.checkToken(id, key: .ed25519(try Ed25519.PrivateKey()))
        }
        try await client.session.sendExpectingOK(.deleteToken, of: id, key: client.key)
        await #expect(throws: SMPClientError.smp(.auth)) { try await client.session.checkToken(id, key: client.key) }
        #expect(server.tokenCount == 0)
        await server.stop()
    }

    @Test
    func `Many concurrent commands share one session with a notification server, each with its own answer`()
        async throws
    {
        let server = try await NotificationServer()
        let client = try await RegisteringClient(server.server)
        let (id, _) = try await client.registerToken()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        return try await client.session.checkToken(id, key: client.key) == .registered
                    }
                    do { _ = try await client.session.checkToken([1], key: client.key) } catch let error
                        as SMPClientError
                    { return error == .smp(.auth) }
                    return false
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await server.stop()
    }

    @Test
    func `A command that is too long for a block is refused before it is sent to the notification server`() async throws
    {
        let server = try await NotificationServer()
        let client = try await RegisteringClient(server.server)
        let (id, _) = try await client.registerToken()
        await #expect(throws: SMPClientError.transport(.largeMsg)) {
            _ = try await client.session.registerToken(
                PushToken(service: .test, text: String(repeating: "ab", count: 125)),
                key: client.key,
                dhKey: client.dhKey.publicKey
            )
            try await client.session.sendExpectingOK(
                .verifyToken(code: [UInt8](repeating: 1, count: 256)),
                of: id,
                key: client.key
            )
        }
        #expect(try await client.session.checkToken(id, key: client.key) == .registered)
        await server.stop()
    }

    @Test(arguments: [
        (NotificationServer.Fault.silent, SMPClientError.timeout), (.garbageHello, .transport(.badBlock)),
        (.otherSession, .transport(.badSession)),
        (.forgedKey, .transport(.handshake(.badAuth))), (.futureVersion, .transport(.version)),
    ])
    func `A handshake with a faulty notification server fails with an error for the kind of fault`(
        fault: NotificationServer.Fault,
        error: SMPClientError
    ) async throws {
        let server = try await NotificationServer(fault)
        var configuration = SMPClientConfiguration()
        if fault == .silent { configuration.transport.connectTimeout = .milliseconds(300) }
        await #expect(throws: error) { _ = try await RegisteringClient(server.server, configuration) }
        await server.stop()
    }

    @Test
    func `A notification server with a wrong certificate, a wrong protocol or no answer causes an error`() async throws
    {
        let server = try await NotificationServer()
        var other = server.server
        other.keyHash[0] ^= 1
        await #expect(throws: SMPClientError.network(.unknownCA)) { _ = try await RegisteringClient(other) }
        let relay = try await WaywardRelay.start(.silent)
        var configuration = SMPClientConfiguration()
        configuration.transport.connectTimeout = .seconds(5)
        await #expect(throws: SMPClientError.self) { _ = try await RegisteringClient(relay.server, configuration) }
        await relay.stop()
        await server.stop()
        await #expect(throws: SMPClientError.self) { _ = try await RegisteringClient(server.server, configuration) }
    }

    @Test(arguments: [
        (NotificationServer.Fault.ignores("TCHK"), SMPClientError.timeout), (.closes("TCHK"), .network(.failed)),
        (.garbles("TCHK"), .transport(.badBlock)), (.confuses("TCHK"), .unexpected("PONG")),
        (.refuses("TCHK", .internal), .smp(.internal)),
    ])
    func `Each kind of faulty answer of a notification server causes its specific error`(
        fault: NotificationServer.Fault,
        error: SMPClientError
    ) async throws {
        let server = try await NotificationServer(fault)
        var configuration = SMPClientConfiguration()
        if fault == .ignores("TCHK") { configuration.transport.responseTimeout = .milliseconds(300) }
        let client = try await RegisteringClient(server.server, configuration)
        let (id, _) = try await client.registerToken()
        await #expect(throws: error) { _ = try await client.session.checkToken(id, key: client.key) }
        let mayContinue = if case .confuses = fault { true } else if case .refuses = fault { true } else { false }
        server.fault = nil
        if mayContinue {
            #expect(try await client.session.checkToken(id, key: client.key) == .registered)
        } else {
            try await waitUntil("end of the session") { !client.session.isOpen }
            await #expect(throws: SMPClientError.self) { _ = try await client.session.checkToken(id, key: client.key) }
        }
        await server.stop()
    }

    @Test
    func `An unused session with a notification server ends after its idle time`() async throws {
        let server = try await NotificationServer()
        let session = try await NTFSession.openSession(
            to: server.server,
            idleTime: .milliseconds(50),
            group: MultiThreadedEventLoopGroup.singleton
        )
        try await waitUntil("end of the session") { !session.isOpen }
        await server.stop()
    }
}
