import ChatAPI
import ChatProtocol
import JSON
import NIOCore
import SimpleXCrypto
import Synchronization
import Testing
import XRCP

@testable import ChatCore

/// A controller like the original's desktop app, which can also violate the protocol.
final class Desktop: Sendable {
    let authority: DeviceAuthority
    let identity: Ed25519.PrivateKey
    /// The paired host: the fingerprint of its authority, and its key of the last session.
    let known = Mutex<(fingerprint: [UInt8], key: X25519.PublicKey)?>(nil)

    init() throws {
        authority = try DeviceAuthority.generate()
        identity = try Ed25519.PrivateKey()
    }

    static let app: JSONValue = [
        "appVersionRange": ["minVersion": "6.5.0.12", "maxVersion": "7.0.0.6"], "deviceName": "desk",
        "compression": true,
    ]

    /// A listening port with its link.
    struct Offer: Sendable {
        let link: String
        let listener: ControllerListener
        let session: Ed25519.PrivateKey
        let key: X25519.PrivateKey
    }

    func offer(app: JSONValue = app) async throws -> Offer {
        let listener = try await ControllerListener.listen(
            address: "127.0.0.1",
            port: 0,
            as: authority,
            hostFingerprint: known.withLock { $0?.fingerprint },
            group: World.group
        )
        let (session, key) = (try Ed25519.PrivateKey(), try X25519.PrivateKey())
        let link = try Invitation(
            authority: authority.fingerprint,
            host: .ipv4([127, 0, 0, 1]),
            port: listener.port,
            versions: .init(1),
            app: app,
            time: 1_800_000_000,
            sessionKey: session.publicKey,
            identityKey: identity.publicKey,
            dhKey: key.publicKey
        ).signedLink(session: session, identity: identity)
        return Offer(link: link, listener: listener, session: session, key: key)
    }

    /// Answers the hello of the connected host.
    func begin(_ offer: Offer, _ connection: DeviceConnection) async throws -> Session {
        let handshake = try ControllerHandshake(
            await connection.receive(within: .seconds(30)),
            key: offer.key,
            authority: connection.peerAuthority,
            session: offer.session,
            identity: identity
        )
        try await connection.send(handshake.answerBlock)
        known.withLock { $0 = (connection.peerAuthority, handshake.hostKey) }
        return Session(
            connection: connection,
            cipher: SessionCipher(handshake.keys, sessionID: connection.tls.channelBinding),
            requests: try await connection.startRequests(),
            hello: handshake.hello
        )
    }

    /// Pairs with a core, whose user confirms the code.
    func pair(with core: Core) async throws -> Session {
        let offer = try await offer()
        async let arrived = offer.listener.waitForHost(within: .seconds(30))
        let told = try await core.events().count { $0.event["type"] == "remoteCtrlSessionCode" }
        let answer = try await core.run("/connect remote ctrl \(offer.link)")
        try #require(answer["type"] == "remoteCtrlConnecting", "\(answer)")
        let code = try #require(
            try await core.wait(for: "remoteCtrlSessionCode", count: told + 1).last?["sessionCode"]?.stringValue
        )
        let connection = try #require(await arrived)
        #expect(code == VerificationCode.text(connection.tls.channelBinding))
        async let verified = core.run("/verify remote ctrl \(code)")
        let session = try await begin(offer, connection)
        let connected = try await verified
        try #require(connected["type"] == "remoteCtrlConnected", "\(connected)")
        return session
    }

    struct Session: Sendable {
        let connection: DeviceConnection
        let cipher: SessionCipher
        let requests: DeviceConnection.RequestOpener
        let hello: HostHello

        func exchange(_ json: JSONValue) async throws -> JSONValue { try await exchange(json.encoded()) }

        func exchange(_ text: [UInt8]) async throws -> JSONValue {
            let stream = try await requests.open()
            try await stream.write(body: try #require(ZstdFrame.compress(text)), cipher)
            return try await answer(stream).json
        }

        func answer(_ stream: ExchangeStream) async throws -> (json: JSONValue, file: SealingKey) {
            let (content, file) = try await stream.readBody(cipher)
            return (try JSONValue(parsing: ZstdFrame.decompress(content, limit: 64 << 20), limits: .ownText), file)
        }

        /// Sends a command, and returns its answer.
        func send(_ command: String) async throws -> JSONValue {
            let answer = try await exchange(["type": "send", "command": .string(command), "retryNumber": 0])
            return try #require(answer["chatResponse"]?["result"] ?? answer["chatResponse"]?["error"], "\(answer)")
        }

        /// Requests the next event.
        func event() async throws -> JSONValue? {
            try await exchange(["type": "recv", "wait": 10_000_000])["chatEvent"]?["result"]
        }

        func event(_ type: String) async throws -> JSONValue {
            while true {
                guard let event = try await event() else { throw NoEvent(type: type) }
                if event["type"]?.stringValue == type { return event }
            }
        }

        struct NoEvent: Error { let type: String }
    }
}
