import ChatAPI
import ChatProtocol
import JSON
import NIOCore
import RemoteControl
import SimpleXCrypto
import Synchronization
import Testing

@testable import ChatCore
@testable import XRCP

/// A host like the original's phone app, which can also violate the protocol. It does not compress.
struct Phone: Sendable {
    let connection: DeviceConnection
    let cipher: SessionCipher

    static let appInfo: JSONValue = [
        "appVersion": "7.0.0.6", "deviceName": "odd", "encoding": "kotlin", "encryptFiles": false,
    ]

    /// Connects by a link, and sends its hello.
    /// - Returns: nil as the session if the desktop refuses the hello.
    static func connectByLink(
        to link: String,
        app: JSONValue = appInfo
    ) async throws -> (connection: DeviceConnection, session: Phone?) {
        let invitation = try Invitation(verifying: link)
        let authority = try DeviceAuthority.generate()
        let connection = try await DeviceConnection.connect(
            host: invitation.host,
            port: invitation.port,
            authority: invitation.authorityFingerprint,
            as: authority,
            timeout: .seconds(30),
            group: World.eventLoopGroup
        )
        let hello = try HostHandshake(invitation, key: X25519.PrivateKey(), authority: authority.fingerprint, app: app)
        try await connection.sendBlock(hello.helloBlock)
        guard let keys = try? hello.deriveSessionKeys(await connection.receiveBlock(within: .seconds(30))) else {
            return (connection, nil)
        }
        return (
            connection,
            Phone(connection: connection, cipher: SessionCipher(keys, sessionID: connection.tls.channelBinding))
        )
    }

    /// Makes the session of a phone, and a client of the session with the given timeouts.
    static func makeSession(
        compresses: Bool = false,
        folder: String,
        patience: RemoteHostClient.Timeouts
    ) async throws -> (phone: Phone, client: RemoteHostClient) {
        let desktop = try Desktop()
        let offer = try await desktop.makeOffer()
        async let connected = connectByLink(to: offer.link)
        let connection = try #require(await offer.listener.waitForHost(within: .seconds(30)))
        let session = try await desktop.beginSession(offer, connection)
        let client = RemoteHostClient(
            id: 1,
            session.connection,
            session.requests,
            session.cipher,
            .init(compresses: compresses, encryptsFiles: false, isSwift: false),
            folder: folder,
            patience: patience
        )
        return (try #require(try await connected.session), client)
    }

    /// Calls `answer` for every request.
    func serveRequests(_ answer: @escaping @Sendable (JSONValue, ExchangeStream) async throws -> Void) async throws {
        try await connection.serveRequests { [cipher] stream in
            do {
                let body = try await stream.readBody(cipher)
                try await answer(try JSONValue(parsing: ZstdFrame.decompress(body.content, limit: 1 << 20)), stream)
            } catch {
                stream.close()
            }
        }
    }
}
