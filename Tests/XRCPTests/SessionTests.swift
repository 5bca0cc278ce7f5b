import JSON
import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import XRCP

/// Tests of hellos, keys and bodies, compared with values of simplexmq and simplex-chat.
struct SessionTests {
    private static let vectorFile = try? Vector.readFile("xrcp")

    private func requireFile() throws -> Vector { try #require(Self.vectorFile) }

    private func readDHKey(_ name: String, in vector: Vector? = nil) throws -> X25519.PrivateKey {
        try X25519.PrivateKey(rawRepresentation: (vector ?? requireFile()).object(name).bytes("private"))
    }

    private func readSigningKey(_ name: String, in vector: Vector? = nil) throws -> Ed25519.PrivateKey {
        try Ed25519.PrivateKey(rawRepresentation: (vector ?? requireFile()).object(name).bytes("private"))
    }

    private func readInvitation() throws -> Invitation {
        try Invitation(verifying: requireFile().list("invitations")[0].text("signedUri"))
    }

    private func makeHostHandshake() throws -> HostHandshake {
        let vector = try requireFile().object("hostHello")
        return try HostHandshake(
            readInvitation(),
            key: readDHKey("hostDhKey", in: vector),
            authority: vector.bytes("hostCaFingerprint"),
            app: try #require(vector.value["app"]),
            kemKey: SNTRUP761.PrivateKey(rawRepresentation: vector.object("kemKeyPair").bytes("secret")),
            nonce: BoxNonce(rawRepresentation: vector.bytes("nonce"))
        )
    }

    @Test
    func `The remote host's hello has the bytes of simplexmq`() throws {
        let vector = try requireFile().object("hostHello")
        let handshake = try makeHostHandshake()
        #expect(try Digest.sha256(PacketBlock.unpad(handshake.helloBlock)).hex == vector.text("packetSha256"))
        #expect(handshake.helloBlock.count == 16384)
        #expect(Digest.sha256(handshake.helloBlock).hex == (try vector.object("block").text("sha256")))
    }

    @Test
    func `The controller's hello and the session keys derived after it equal those of simplexmq`() throws {
        let vector = try requireFile().object("controllerHello")
        let host = try makeHostHandshake()
        let ciphertext = try SNTRUP761.Ciphertext(rawRepresentation: vector.bytes("kemCiphertext"))
        let shared = SecretBytes(try vector.bytes("kemSharedKey"))
        let controller = try ControllerHandshake(
            host.helloBlock,
            key: readDHKey("controllerDhKey"),
            authority: requireFile().object("hostHello").bytes("hostCaFingerprint"),
            session: readSigningKey("sessionKey"),
            identity: readSigningKey("identityKey")
        ) { _ in (ciphertext, shared) }
        #expect(controller.hello.app["deviceName"]?.stringValue == "iPhone")
        #expect(Digest.sha256(controller.answerBlock).hex == (try vector.object("block").text("sha256")))
        var hostKeys = try host.deriveSessionKeys(controller.answerBlock)
        var keys = controller.sessionKeys
        let after = try requireFile().object("sessionKeysAfterHello")
        for step in try after.list("controllerToHost") {
            let (sent, received) = (try keys.takeNextSendingKey(), try hostKeys.takeNextReceivingKey())
            #expect(try sent.key.rawRepresentation == step.bytes("key"))
            #expect(try sent.nonce.rawRepresentation == step.bytes("nonce"))
            #expect(received == sent)
        }
        for step in try after.list("hostToController") {
            let (sent, received) = (try hostKeys.takeNextSendingKey(), try keys.takeNextReceivingKey())
            #expect(try sent.key.rawRepresentation == step.bytes("key"))
            #expect(try sent.nonce.rawRepresentation == step.bytes("nonce"))
            #expect(received == sent)
        }
    }

    @Test
    func `The remote host decrypts the reason with which the controller refuses the session`() throws {
        let vector = try requireFile().object("controllerError")
        let host = try makeHostHandshake()
        let error = try ControllerHello(
            error: vector.text("message"),
            secret: host.secret,
            nonce: BoxNonce(rawRepresentation: vector.bytes("nonce"))
        )
        #expect(error.packetBytes.count == (try vector.int("packetLength")))
        #expect(Digest.sha256(error.packetBytes).hex == (try vector.text("packetSha256")))
        let block = try #require(
            ControllerHandshake.makeRefusal(of: host.helloBlock, key: readDHKey("controllerDhKey"), "some error")
        )
        #expect(throws: XRCPError.controllerError("some error")) { try host.deriveSessionKeys(block) }
    }

    @Test
    func `A remote host is refused if the certificate in its hello differs from its TLS certificate`() throws {
        #expect(throws: XRCPError.identity) {
            try ControllerHandshake(
                makeHostHandshake().helloBlock,
                key: readDHKey("controllerDhKey"),
                authority: Array(repeating: 0, count: 32),
                session: readSigningKey("sessionKey"),
                identity: readSigningKey("identityKey")
            )
        }
    }

    @Test
    func `A changed or random hello of a remote host is refused without a crash`() throws {
        let host = try makeHostHandshake()
        let (key, session, identity) = (
            try readDHKey("controllerDhKey"), try readSigningKey("sessionKey"), try readSigningKey("identityKey")
        )
        let packet = Array(try PacketBlock.unpad(host.helloBlock).prefix(200))
        for bytes in makeMutations(of: packet, count: 300) {
            guard let block = try? PacketBlock.pad(bytes) else { continue }
            #expect(throws: XRCPError.self) {
                try ControllerHandshake(block, key: key, authority: [], session: session, identity: identity)
            }
            #expect(throws: XRCPError.self) { try host.deriveSessionKeys(block) }
        }
        #expect(throws: XRCPError.blockSize) { try host.deriveSessionKeys([1, 2, 3]) }
        let answer = try ControllerHandshake(
            host.helloBlock,
            key: key,
            authority: requireFile().object("hostHello").bytes("hostCaFingerprint"),
            session: session,
            identity: identity
        ).answerBlock
        for place in [3, 9, 500, 1050, 1100, 9000] {
            var altered = answer
            altered[place] ^= 1
            #expect(throws: XRCPError.self) { try host.deriveSessionKeys(altered) }
        }
    }

    // MARK: Bodies

    private func makeCiphers() throws -> (controller: SessionCipher, host: SessionCipher, vector: Vector) {
        let vector = try Vector.readFile("xrcp-commands")
        let (session, identity) = (
            try readSigningKey("controllerSessionKey", in: vector),
            try readSigningKey("controllerIdentityKey", in: vector)
        )
        let (hybrid, id) = (SecretBytes(try vector.bytes("hybridSecret")), try vector.bytes("sessionId"))
        return (
            SessionCipher(
                SessionKeys(hybrid: hybrid, isController: true, signing: .sign(session: session, identity: identity)),
                sessionID: id
            ),
            SessionCipher(
                SessionKeys(
                    hybrid: hybrid,
                    isController: false,
                    signing: .verify(session: session.publicKey, identity: identity.publicKey)
                ),
                sessionID: id
            ),
            vector
        )
    }

    private func openBody(_ body: [UInt8], _ cipher: SessionCipher) throws -> [UInt8] {
        let head = Array(body.prefix(8))
        let size = try cipher.boxSize(head: head)
        return try cipher.openBody(
            head: head,
            box: Array(body.dropFirst(8).prefix(size)),
            signatures: Array(body.dropFirst(8 + size))
        ).content
    }

    @Test
    func `Encrypted commands to a remote host and its answers have the same bytes as in simplex-chat`() throws {
        let (controller, host, vector) = try makeCiphers()
        for step in try vector.list("controllerToHost") {
            let json = Array(try step.text("json").utf8)
            let (body, file) = try controller.sealBody(json)
            #expect(body == (try step.bytes("body")))
            #expect(try file.key.rawRepresentation == step.object("fileKey").bytes("key"))
            #expect(try openBody(body, host) == json)
        }
        for step in try vector.list("hostToController") {
            let json = Array(try step.text("json").utf8)
            #expect(try host.sealBody(json).body == step.bytes("body"))
            #expect(try openBody(step.bytes("body"), controller) == json)
        }
    }

    @Test
    func `Each encrypted request to a remote host is accepted once, in any order within a limit`() throws {
        let (controller, host, _) = try makeCiphers()
        let bodies = try (0..<300).map { try controller.sealBody([UInt8($0 & 255)]).body }
        for index in [4, 2, 0, 3, 1] { #expect(try openBody(bodies[index], host) == [UInt8(index)]) }
        #expect(throws: ExchangeError.duplicate) { try openBody(bodies[4], host) }
        #expect(throws: ExchangeError.earlier(3)) { try openBody(bodies[1], host) }
        #expect(throws: ExchangeError.manySkipped(295)) { try openBody(bodies[299], host) }
        #expect(try openBody(bodies[260], host) == [4])
        #expect(try openBody(bodies[100], host) == [100])
    }

    @Test
    func `A changed or unsigned request to a remote host is refused, and its valid form is still accepted`() throws {
        let (controller, host, vector) = try makeCiphers()
        let body = try controller.sealBody(Array("{}".utf8)).body
        for place in body.indices where !(4..<8).contains(place) {
            var altered = body
            altered[place] ^= 1
            #expect(throws: ExchangeError.self) { try openBody(altered, host) }
        }
        #expect(throws: ExchangeError.control(.controllerAuth)) {
            try openBody(
                Array(body.prefix(body.count - 130)) + [64] + Array(repeating: 1, count: 64) + [64]
                    + Array(repeating: 2, count: 64),
                host
            )
        }
        #expect(throws: ExchangeError.invalidSize) { try host.boxSize(head: [0, 0, 0, 1, 255, 255, 255, 255]) }
        #expect(try openBody(body, host) == Array("{}".utf8))
        // The body is encrypted for another session with the same keys.
        let hybrid = SecretBytes(try vector.bytes("hybridSecret"))
        let (session, identity) = (
            try readSigningKey("controllerSessionKey", in: vector),
            try readSigningKey("controllerIdentityKey", in: vector)
        )
        let other = SessionCipher(
            SessionKeys(
                hybrid: hybrid,
                isController: false,
                signing: .verify(session: session.publicKey, identity: identity.publicKey)
            ),
            sessionID: [1, 2]
        )
        #expect(throws: ExchangeError.sessionCode) { try openBody(body, other) }
    }
}
