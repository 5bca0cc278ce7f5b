import JSON
import NIOCore
import NIOPosix
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing
import Transport

@testable import XRCP

/// Two devices over loopback: TLS with both certificates pinned, hellos, requests with files.
@Suite(.socketTimeLimit) struct ConnectionTests {
    private struct ConnectedDevices {
        let host: DeviceConnection
        let controller: DeviceConnection
        let hostCipher: SessionCipher
        let controllerCipher: SessionCipher
    }

    private func connectDevices(
        _ listener: ControllerListener,
        authority: [UInt8],
        as own: DeviceAuthority
    ) async throws -> (host: DeviceConnection, controller: DeviceConnection?) {
        async let arrived = listener.waitForHost(within: .seconds(20))
        let host = try await DeviceConnection.connect(
            host: .ipv4([127, 0, 0, 1]),
            port: listener.port,
            authority: authority,
            as: own,
            timeout: .seconds(20),
            group: MultiThreadedEventLoopGroup.singleton
        )
        return (host, await arrived)
    }

    private func startListener(_ own: DeviceAuthority, host: [UInt8]? = nil) async throws -> ControllerListener {
        try await .listen(
            address: "127.0.0.1",
            port: 0,
            as: own,
            hostFingerprint: host,
            group: MultiThreadedEventLoopGroup.singleton
        )
    }

    private func makeConnectedDevices() async throws -> ConnectedDevices {
        let (own, controllerOwn) = (try DeviceAuthority.generate(), try DeviceAuthority.generate())
        let listener = try await startListener(controllerOwn)
        let (host, arrived) = try await connectDevices(listener, authority: controllerOwn.fingerprint, as: own)
        let controller = try #require(arrived)
        #expect(host.tls.channelBinding == controller.tls.channelBinding)
        #expect(controller.peerAuthority == own.fingerprint)
        let (dh, session, identity) = (try X25519.PrivateKey(), try Ed25519.PrivateKey(), try Ed25519.PrivateKey())
        let invitation = try Invitation(
            verifying: Invitation(
                authorityFingerprint: controllerOwn.fingerprint,
                host: .ipv4([127, 0, 0, 1]),
                port: listener.port,
                versions: .init(1),
                app: [:],
                time: 0,
                sessionKey: session.publicKey,
                identityKey: identity.publicKey,
                dhKey: dh.publicKey
            ).makeSignedLink(session: session, identity: identity)
        )
        let hello = try HostHandshake(
            invitation,
            key: X25519.PrivateKey(),
            authority: own.fingerprint,
            app: ["deviceName": "phone"]
        )
        try await host.sendBlock(hello.helloBlock)
        let answer = try ControllerHandshake(
            await controller.receiveBlock(within: .seconds(20)),
            key: dh,
            authority: controller.peerAuthority,
            session: session,
            identity: identity
        )
        #expect(answer.hello.app["deviceName"] == "phone")
        try await controller.sendBlock(answer.answerBlock)
        let keys = try hello.deriveSessionKeys(await host.receiveBlock(within: .seconds(20)))
        return ConnectedDevices(
            host: host,
            controller: controller,
            hostCipher: SessionCipher(keys, sessionID: host.tls.channelBinding),
            controllerCipher: SessionCipher(answer.sessionKeys, sessionID: controller.tls.channelBinding)
        )
    }

    @Test
    func `A remote host answers concurrent requests with and without files`() async throws {
        let pair = try await makeConnectedDevices()
        let cipher = pair.hostCipher
        let contents = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await pair.host.serveRequests { stream in
            do {
                let (content, key) = try await stream.readBody(cipher)
                switch content.first {
                case UInt8(ascii: "s"):
                    let received = Mutex<[UInt8]>([])
                    try await stream.readFile(key: key, size: UInt32(contents.count)) { part in
                        received.withLock { $0 += part }
                    }
                    try await stream.writeBody(Digest.sha256(received.withLock { $0 }), cipher)
                case UInt8(ascii: "g"):
                    try await stream.writeBodyWithFile(body: [1], cipher, fileSize: UInt32(contents.count)) {
                        offset,
                        count in
                        Array(contents[Int(offset)..<Int(offset) + count])
                    }
                default: try await stream.writeBody(content + content, cipher)
                }
            } catch {
                stream.close()
            }
        }
        let requests = try await pair.controller.startRequests()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let stream = try await requests.openRequest()
                    switch number % 10 {
                    case 0:
                        try await stream.writeBodyWithFile(
                            body: Array("s".utf8),
                            pair.controllerCipher,
                            fileSize: UInt32(contents.count)
                        ) { offset, count in
                            Array(contents[Int(offset)..<Int(offset) + count])
                        }
                        #expect(try await stream.readBody(pair.controllerCipher).content == Digest.sha256(contents))
                    case 1:
                        try await stream.writeBody(Array("g".utf8), pair.controllerCipher)
                        let (content, key) = try await stream.readBody(pair.controllerCipher)
                        #expect(content == [1])
                        let received = Mutex<[UInt8]>([])
                        try await stream.readFile(key: key, size: UInt32(contents.count)) { part in
                            received.withLock { $0 += part }
                        }
                        #expect(received.withLock { $0 } == contents)
                    default:
                        let text = Array("request \(number)".utf8)
                        try await stream.writeBody(text, pair.controllerCipher)
                        #expect(try await stream.readBody(pair.controllerCipher).content == text + text)
                    }
                }
            }
            try await group.waitForAll()
        }
        pair.host.close()
        await pair.controller.waitUntilClosed()
    }

    @Test
    func `A host refuses a controller whose certificate is not the certificate in the invitation`() async throws {
        let listener = try await startListener(.generate())
        await #expect(throws: XRCPError.identity) {
            try await DeviceConnection.connect(
                host: .ipv4([127, 0, 0, 1]),
                port: listener.port,
                authority: DeviceAuthority.generate().fingerprint,
                as: .generate(),
                timeout: .seconds(20),
                group: MultiThreadedEventLoopGroup.singleton
            )
        }
        listener.close()
    }

    @Test
    func `A controller accepts only one connection, from the host with the known certificate`()
        async throws
    {
        let (own, controllerOwn) = (try DeviceAuthority.generate(), try DeviceAuthority.generate())
        let listener = try await startListener(controllerOwn, host: own.fingerprint)
        async let arrived = listener.waitForHost(within: .seconds(20))
        let stranger = try await DeviceConnection.connect(
            host: .ipv4([127, 0, 0, 1]),
            port: listener.port,
            authority: controllerOwn.fingerprint,
            as: .generate(),
            timeout: .seconds(20),
            group: MultiThreadedEventLoopGroup.singleton
        )
        await #expect(throws: XRCPError.identity) { try await stranger.receiveBlock(within: .seconds(20)) }
        let host = try await DeviceConnection.connect(
            host: .ipv4([127, 0, 0, 1]),
            port: listener.port,
            authority: controllerOwn.fingerprint,
            as: own,
            timeout: .seconds(20),
            group: MultiThreadedEventLoopGroup.singleton
        )
        let controller = try #require(await arrived)
        #expect(controller.peerAuthority == own.fingerprint)
        // A second connection is refused, also from the known host.
        await #expect(throws: XRCPError.self) {
            try await DeviceConnection.connect(
                host: .ipv4([127, 0, 0, 1]),
                port: listener.port,
                authority: controllerOwn.fingerprint,
                as: own,
                timeout: .seconds(20),
                group: MultiThreadedEventLoopGroup.singleton
            ).receiveBlock(within: .seconds(20))
        }
        withExtendedLifetime(host) {}
    }

    @Test
    func `A remote host can connect to its controller even if silent connections have reached the limit`() async throws
    {
        let own = try DeviceAuthority.generate()
        let listener = try await startListener(own)
        var silent: [any Channel] = []
        for _ in 0..<17 {
            silent.append(
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(
                    host: "127.0.0.1",
                    port: Int(listener.port)
                ).get()
            )
        }
        let connections = silent
        let first = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, channel) in connections.enumerated() {
                group.addTask {
                    try await channel.closeFuture.get()
                    return number
                }
            }
            let first = try await group.next()
            let (_, controller) = try await connectDevices(listener, authority: own.fingerprint, as: .generate())
            #expect(controller != nil)
            for channel in connections { channel.close(promise: nil) }
            return first
        }
        // The listener accepts on several event loops, so early connections can change places.
        #expect(try #require(first) < connections.count / 2)
        listener.close()
    }

    @Test
    func `A remote host that sends too much unread data is disconnected`() async throws {
        let (own, controllerOwn) = (try DeviceAuthority.generate(), try DeviceAuthority.generate())
        let listener = try await startListener(controllerOwn)
        let (host, arrived) = try await connectDevices(listener, authority: controllerOwn.fingerprint, as: own)
        let controller = try #require(arrived)
        let block = [UInt8](repeating: 7, count: BlockSize.helloBlock)
        await #expect(throws: XRCPError.self) {
            while true { try await host.sendBlock(block) }
        }
        await controller.waitUntilClosed()
    }

    /// A host that serves requests, and a controller that can send any bytes.
    private func connectServingHost(
        _ handle: @escaping @Sendable (ExchangeStream) async -> Void
    ) async throws -> (host: DeviceConnection, controller: DeviceConnection) {
        let (own, controllerOwn) = (try DeviceAuthority.generate(), try DeviceAuthority.generate())
        let (host, arrived) = try await connectDevices(
            startListener(controllerOwn),
            authority: controllerOwn.fingerprint,
            as: own
        )
        try await host.serveRequests(handle)
        return (host, try #require(arrived))
    }

    /// Each device generates certificates, which takes long. So this test makes only a tenth of the connections that
    /// similar tests make.
    @Test
    func `Request handlers of broken connections between host and controller are released from memory`() async throws {
        final class Token: Sendable {}
        weak var held: Token?
        do {
            let token = Token()
            held = token
            try await runRepeatedly(brokenConnectionCount / 10) { number in
                let (host, controller) = try await connectServingHost { stream in
                    _ = try? await stream.readBytes(1)
                    withExtendedLifetime(token) {}
                }
                switch number % 3 {
                case 0:
                    let bytes = number % 30 == 0 ? HTTP2Bytes.rapidResets : HTTP2Bytes.makeOpenRequests(number % 50)
                    try? await controller.sendBlock(bytes)
                case 1:
                    try? await controller.sendBlock(HTTP2Bytes.preface + HTTP2Bytes.makeRequests(UInt32(number % 50)))
                    controller.close()
                default: controller.close()
                }
                await host.waitUntilClosed()
            }
        }
        try await waitUntil("no handler of requests is left") { held == nil }
    }

    @Test(arguments: [HTTP2Bytes.windowUpdateFrame, HTTP2Bytes.settingsFrame, HTTP2Bytes.makeFrame(0xFF)])
    func `A flood of HTTP/2 frames from the controller ends the host's connection`(frame: [UInt8]) async throws {
        let (host, controller) = try await connectServingHost { _ in }
        try? await controller.sendBlock(HTTP2Bytes.preface + (0..<20_000).flatMap { _ in frame })
        await host.waitUntilClosed()
    }
}
