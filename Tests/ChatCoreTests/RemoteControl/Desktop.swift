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
    let identityKey: Ed25519.PrivateKey
    /// The paired host: the fingerprint of its authority, and its key of the last session.
    let knownHost = Mutex<(fingerprint: [UInt8], key: X25519.PublicKey)?>(nil)

    init() throws {
        authority = try DeviceAuthority.generate()
        identityKey = try Ed25519.PrivateKey()
    }

    static let appInfo: JSONValue = [
        "appVersionRange": ["minVersion": "6.5.0.12", "maxVersion": "7.0.0.6"], "deviceName": "desk",
        "compression": true,
    ]

    /// A listening port with its link.
    struct SessionOffer: Sendable {
        let link: String
        let listener: ControllerListener
        let sessionKey: Ed25519.PrivateKey
        let dhKey: X25519.PrivateKey
    }

    func makeOffer(app: JSONValue = appInfo) async throws -> SessionOffer {
        let listener = try await ControllerListener.listen(
            address: "127.0.0.1",
            port: 0,
            as: authority,
            hostFingerprint: knownHost.withLock { $0?.fingerprint },
            group: World.eventLoopGroup
        )
        let (session, key) = (try Ed25519.PrivateKey(), try X25519.PrivateKey())
        let link = try Invitation(
            authorityFingerprint: authority.fingerprint,
            host: .ipv4([127, 0, 0, 1]),
            port: listener.port,
            versions: .init(1),
            app: app,
            time: 1_800_000_000,
            sessionKey: session.publicKey,
            identityKey: identityKey.publicKey,
            dhKey: key.publicKey
        ).makeSignedLink(session: session, identity: identityKey)
        return SessionOffer(link: link, listener: listener, sessionKey: session, dhKey: key)
    }

    /// Answers the hello of the connected host.
    func beginSession(_ offer: SessionOffer, _ connection: DeviceConnection) async throws -> Session {
        let handshake = try ControllerHandshake(
            await connection.receiveBlock(within: .seconds(30)),
            key: offer.dhKey,
            authority: connection.peerAuthority,
            session: offer.sessionKey,
            identity: identityKey
        )
        try await connection.sendBlock(handshake.answerBlock)
        knownHost.withLock { $0 = (connection.peerAuthority, handshake.hostKey) }
        return Session(
            connection: connection,
            cipher: SessionCipher(handshake.sessionKeys, sessionID: connection.tls.channelBinding),
            requests: try await connection.startRequests(),
            hello: handshake.hello
        )
    }

    /// Pairs with a core, whose user confirms the code.
    func pairWithCore(with core: Core) async throws -> Session {
        let offer = try await makeOffer()
        async let arrived = offer.listener.waitForHost(within: .seconds(30))
        let told = try await core.events().count { $0.event["type"] == "remoteCtrlSessionCode" }
        let answer = try await core.run("/connect remote ctrl \(offer.link)")
        try #require(answer["type"] == "remoteCtrlConnecting", "\(answer)")
        let code = try #require(
            try await core.wait(for: "remoteCtrlSessionCode", count: told + 1).last?["sessionCode"]?.stringValue
        )
        let connection = try #require(await arrived)
        #expect(code == VerificationCode.makeText(connection.tls.channelBinding))
        async let verified = core.run("/verify remote ctrl \(code)")
        let session = try await beginSession(offer, connection)
        let connected = try await verified
        try #require(connected["type"] == "remoteCtrlConnected", "\(connected)")
        return session
    }

    struct Session: Sendable {
        let connection: DeviceConnection
        let cipher: SessionCipher
        let requests: DeviceConnection.RequestOpener
        let hello: HostHello

        func exchangeJSON(_ json: JSONValue) async throws -> JSONValue { try await exchangeText(json.encodeText()) }

        func exchangeText(_ text: [UInt8]) async throws -> JSONValue {
            let stream = try await requests.openRequest()
            try await stream.writeBody(try #require(ZstdFrame.compress(text)), cipher)
            return try await readAnswer(stream).json
        }

        func readAnswer(_ stream: ExchangeStream) async throws -> (json: JSONValue, file: SealingKey) {
            let (content, file) = try await stream.readBody(cipher)
            return (try JSONValue(parsing: ZstdFrame.decompress(content, limit: 64 << 20), limits: .forOwnText), file)
        }

        /// Sends a command, and returns its answer.
        func sendCommand(_ command: String) async throws -> JSONValue {
            let answer = try await exchangeJSON(["type": "send", "command": .string(command), "retryNumber": 0])
            return try #require(answer["chatResponse"]?["result"] ?? answer["chatResponse"]?["error"], "\(answer)")
        }

        /// Requests the next event.
        func nextEvent() async throws -> JSONValue? {
            try await exchangeJSON(["type": "recv", "wait": 10_000_000])["chatEvent"]?["result"]
        }

        func waitForEvent(_ type: String) async throws -> JSONValue {
            while true {
                guard let event = try await nextEvent() else { throw MissingEvent(type: type) }
                if event["type"]?.stringValue == type { return event }
            }
        }

        struct MissingEvent: Error { let type: String }
    }
}
