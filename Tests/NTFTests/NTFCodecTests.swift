import NTF
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@Suite struct NTFCodecTests {
    private let token = PushToken(service: .test, text: "abab")
    // The keys are fixed values for the tests, and not secret.
    private let key: AuthorizationPrivateKey
    private let dhKey: X25519.PublicKey
    private let server: ProtocolServer

    init() throws {
        key = .ed25519(try Ed25519.PrivateKey(rawRepresentation: [UInt8](repeating: 3, count: 32)))
        dhKey = try X25519.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32)).publicKey
        server = try ProtocolServer(parsing: "smp://q83vmA==@smp.example.org,example.onion:5223")
    }

    private var encodedCommands: [(NTFCommand, [UInt8])] {
        [
            (
                .newToken(token, key: key.publicKey, dhKey: dhKey),
                Array("TNEW TAT".utf8) + [4] + Array("abab".utf8) + [44] + key.publicKey.spki + [44] + dhKey.spki
            ),
            (.verifyToken(code: [7, 8]), Array("TVFY ".utf8) + [2, 7, 8]),
            (.checkToken, Array("TCHK".utf8)),
            (
                .replaceToken(PushToken(service: .production, text: "00")),
                Array("TRPL AP".utf8) + [2] + Array("00".utf8)
            ),
            (.deleteToken, Array("TDEL".utf8)),
            (.setInterval(minutes: 20), Array("TCRN ".utf8) + [0, 20]),
            (
                .newSubscription(tokenID: [9], NotifierAddress(server: server, notifierID: [1, 2, 3]), key: key),
                Array("SNEW S".utf8) + [1, 9, 2, 15] + Array("smp.example.org".utf8) + [13]
                    + Array("example.onion".utf8) + [4] + Array("5223".utf8)
                    + [4, 0xab, 0xcd, 0xef, 0x98] + [3, 1, 2, 3] + [48] + key.pkcs8
            ),
            (.checkSubscription, Array("SCHK".utf8)), (.deleteSubscription, Array("SDEL".utf8)),
            (.ping, Array("PING".utf8)),
        ]
    }

    private var encodedResponses: [(NTFResponse, [UInt8])] {
        [
            (.tokenID([1, 2], dhKey: dhKey), Array("IDTKN ".utf8) + [2, 1, 2, 44] + dhKey.spki),
            (.subscriptionID([3]), Array("IDSUB ".utf8) + [1, 3]),
            (.ok, Array("OK".utf8)), (.pong, Array("PONG".utf8)),
            (.err(.auth), Array("ERR AUTH".utf8)), (.err(.cmd(.syntax)), Array("ERR CMD SYNTAX".utf8)),
            (.token(.active), Array("TKN ACTIVE".utf8)), (.token(.invalid(nil)), Array("TKN INVALID".utf8)),
            (.token(.invalid(.unregistered)), Array("TKN INVALID,UNREGISTERED".utf8)),
            (.subscription(.pending), Array("SUB PENDING".utf8)),
            (.subscription(.error("some detail")), Array("SUB ERR some detail".utf8)),
        ]
    }

    @Test
    func `Commands and answers of a notification server have the bytes that the protocol requires`() throws {
        for (command, bytes) in encodedCommands {
            #expect(try command.smpEncoded() == bytes, "\(command.tag)")
            #expect(try NTFCommand(smpEncoded: bytes) == command)
        }
        for (response, bytes) in encodedResponses {
            #expect(try response.smpEncoded() == bytes, "\(response.tag)")
            #expect(try NTFResponse(smpEncoded: bytes) == response)
        }
        for text in ["", "TOKEN", "TNEW", "TNEW X", "TVFY", "TCRN \u{1}", "SNEW T", "TCHK "] {
            #expect(throws: SMPEncodingError.self, "\(text)") { try NTFCommand(smpEncoded: Array(text.utf8)) }
        }
        for text in [
            "", "IDTKN", "TKN", "TKN UNKNOWN", "TKN INVALID,OTHER", "SUB", "SUB ERR", "SUB WHAT", "OK ", "ERR",
        ] {
            #expect(throws: SMPEncodingError.self, "\(text)") { try NTFResponse(smpEncoded: Array(text.utf8)) }
        }
    }

    @Test
    func `A command to a notification server with missing or unneeded credentials is refused`() {
        for (command, _) in encodedCommands {
            switch command {
            case .newToken, .newSubscription:
                #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: false) == nil)
                #expect(command.findCredentialsError(hasAuthorization: false, hasEntity: false) == .noAuth)
                #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: true) == .hasAuth)
            case .ping:
                #expect(command.findCredentialsError(hasAuthorization: false, hasEntity: false) == nil)
                #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: false) == .hasAuth)
            default:
                #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: true) == nil)
                #expect(command.findCredentialsError(hasAuthorization: true, hasEntity: false) == .noAuth)
                #expect(command.findCredentialsError(hasAuthorization: false, hasEntity: true) == .noAuth)
            }
        }
    }

    private var notifications: [NotificationData] {
        [1, 2].map { (number: UInt8) in
            NotificationData(
                address: NotifierAddress(server: server, notifierID: [number]),
                timestamp: 1_700_000_000 + Int64(number),
                nonce: BoxNonce(padding: [number]),
                encMeta: [number, 4, 5]
            )
        }
    }

    @Test
    func `A push notification about several queues is written as one text and read back`() throws {
        let text = notifications.map(\.str).joined(separator: ";")
        #expect(
            text.hasPrefix(
                "smp://q83vmA==@smp.example.org,example.onion:5223/AQ== 1700000001 AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA AQQF;smp://"
            )
        )
        #expect(try NotificationBox.parseNotifications(in: Array(text.utf8)) == notifications)
        for wrong in [
            "", ";", text + ";", text + " ", String(text.dropLast(12)), "ntf" + text.dropFirst(3),
            text.replacingOccurrences(of: "AQAA", with: "AQ"),
        ] {
            #expect(throws: SMPEncodingError.self, "\(wrong)") {
                try NotificationBox.parseNotifications(in: Array(wrong.utf8))
            }
        }
    }

    @Test
    func `A push notification is decrypted only with its secret and nonce`() throws {
        let (client, server) = (try X25519.PrivateKey(), try X25519.PrivateKey())
        let secret = try server.sharedSecret(with: client.publicKey)
        let nonce = BoxNonce.random()
        let box = try NotificationBox.sealNotifications(notifications, secret: secret, nonce: nonce)
        #expect(box.count == NotificationBox.paddedBytes + 16)
        let opened = try NotificationBox.openContent(
            box,
            secret: try client.sharedSecret(with: server.publicKey),
            nonce: nonce
        )
        #expect(try NotificationBox.parseNotifications(in: opened) == notifications)
        #expect(throws: CryptoError.self) { try NotificationBox.openContent(box, secret: secret, nonce: .random()) }
        #expect(throws: CryptoError.self) {
            try NotificationBox.openContent(Array(box.dropLast()), secret: secret, nonce: nonce)
        }
    }

    @Test
    func `Changed bytes of commands to a notification server cause an error, or are parsed to a valid value`() throws {
        for (index, (_, bytes)) in (encodedCommands.map { ("", $0.1) } + encodedResponses.map { ("", $0.1) })
            .enumerated()
        {
            for input in makeMutations(of: bytes, count: 150, seed: UInt64(index + 1)) {
                if let command = try? NTFCommand(smpEncoded: input) {
                    #expect(try NTFCommand(smpEncoded: command.smpEncoded()) == command)
                }
                if let response = try? NTFResponse(smpEncoded: input) {
                    #expect(try NTFResponse(smpEncoded: response.smpEncoded()) == response)
                }
            }
        }
        for input in makeMutations(of: Array(notifications.map(\.str).joined(separator: ";").utf8), count: 400) {
            guard let read = try? NotificationBox.parseNotifications(in: input) else { continue }
            #expect(
                try NotificationBox.parseNotifications(in: Array(read.map(\.str).joined(separator: ";").utf8)) == read
            )
        }
        let hello = NTFServerHello(
            versions: NTFVersion.supported,
            sessionID: [1, 2, 3],
            key: try SignedSessionKey(dhKey, signedWith: .ed25519(try Ed25519.PrivateKey()))
        )
        for input in makeMutations(of: try hello.smpEncoded(), count: 400) {
            let handshake = NTFClientHandshake(sessionID: [1, 2, 3], keyHash: [1], leafCertificate: input)
            #expect(throws: SMPTransportError.self) { try handshake.makeClientHello(serverHello: input) }
        }
        for input in makeMutations(of: try NTFClientHello(version: 3, keyHash: [1, 2]).smpEncoded()) {
            if let hello = try? NTFClientHello(smpEncoded: input) {
                #expect(try NTFClientHello(smpEncoded: hello.smpEncoded()) == hello)
            }
        }
    }

    @Test
    func `The description of a command that registers a push token hides the token`() throws {
        let secret = "0123456789abcdef"
        let command = NTFCommand.newToken(
            PushToken(service: .production, text: secret),
            key: key.publicKey,
            dhKey: dhKey
        )
        var dumped = ""
        dump(command, to: &dumped)
        for text in ["\(command)", String(reflecting: command), dumped] { #expect(!text.contains(secret)) }
    }
}
