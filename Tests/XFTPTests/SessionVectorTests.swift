import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport
import Transport
import XFTP

/// Tests with the vectors in xftp.json: the handshake, blocks with signed commands, and the transport encryption of
/// chunks.
struct SessionVectorTests {
    let vectors: Vector

    init() throws { vectors = try Vector.readFile("xftp") }

    private func expectDigest(_ bytes: [UInt8], _ digest: Vector) throws {
        #expect(try bytes.count == digest.int("length") && bytes.prefix(64).hexText == digest.text("first64"))
        #expect(try Digest.sha256(bytes).hex == digest.text("sha256"))
    }

    @Test
    func `Client and file server send the bytes of simplexmq in the XFTP handshake`() throws {
        let vector = try vectors.object("handshake")
        let chain = try vector.object("certificates")
        let leaf = try SignaturePrivateKey(pkcs8: chain.object("leafKey").bytes("privatePkcs8"))
        let sessionKey = try X25519.PublicKey(spki: vector.object("serverKey").bytes("publicSpki"))
        let certificates = (chain.value["certificatesDer"]?.arrayValue ?? []).compactMap {
            [UInt8](hex: $0.stringValue ?? "")
        }
        let (identity, sessionID) = (try chain.bytes("identityFingerprint"), try vector.bytes("sessionId"))
        let server = XFTPServerHandshake(
            sessionID: sessionID,
            keyHash: identity,
            certificateKey: CertificateChainKey(
                certificates: certificates,
                signedKey: try SignedSessionKey(sessionKey, signedWith: leaf)
            )
        )
        try expectDigest(server.makeHello(), vector.object("serverBlock"))
        #expect(try XFTPBlock.unpad(server.makeHello()).hex == vector.text("server"))

        let client = XFTPClientHandshake(sessionID: sessionID, keyHash: identity, leafCertificate: certificates.first)
        let (body, session) = try client.makeClientHello(serverHello: server.makeHello())
        try expectDigest(body, vector.object("clientBlock"))
        #expect(try XFTPBlock.unpad(body).hex == vector.text("client"))
        #expect(session == XFTPSessionParameters(version: XFTPVersion(3), sessionID: sessionID))
        #expect(try server.acceptClientHello(clientHello: body) == session)
        #expect(try vector.text("alpn") == TLSSession.fileProtocol)
    }

    @Test
    func `Each kind of invalid XFTP hello causes its specific error`() throws {
        let vector = try vectors.object("handshake")
        let hello = try vector.bytes("server")
        let certificates = try vector.object("certificates")
        let leaf = certificates.value["certificatesDer"]?[0]?.stringValue.flatMap { [UInt8](hex: $0) }
        func error(
            _ hello: [UInt8],
            _ change: (inout XFTPClientHandshake) -> Void = { _ in }
        ) throws -> SMPTransportError? {
            var client = XFTPClientHandshake(
                sessionID: try vector.bytes("sessionId"),
                keyHash: try certificates.bytes("identityFingerprint"),
                leafCertificate: leaf
            )
            change(&client)
            let body = try XFTPBlock.pad(hello)
            do throws(SMPTransportError) {
                _ = try client.makeClientHello(serverHello: body)
                return nil
            } catch {
                return error
            }
        }
        // Newer servers send additional bytes after the hello.
        #expect(try error(hello + [0, 1, 2]) == nil)
        #expect(try error(Array(hello.dropLast())) == .handshake(.parse))
        #expect(try error(hello) { $0.sessionID[0] ^= 1 } == .badSession)
        #expect(try error(hello) { $0.versions = ProtocolVersionRange(4) } == .version)
        #expect(try error(hello) { $0.keyHash[0] ^= 1 } == .handshake(.badAuth))
        let other = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials.certificates.first
        #expect(try error(hello) { $0.leafCertificate = other } == .handshake(.badAuth))
        var forged = hello
        forged[forged.count - 1] ^= 1
        #expect(try error(forged) == .handshake(.badAuth))
        #expect(throws: SMPTransportError.badBlock) {
            try XFTPClientHandshake(sessionID: [], keyHash: [], leafCertificate: nil).makeClientHello(serverHello: [])
        }
    }

    @Test
    func `A client hello for another file server, or of an unsupported version, is refused`() throws {
        let vector = try vectors.object("handshake")
        let key = try XFTPServerHello(smpEncoded: vector.bytes("server")).key
        let server = XFTPServerHandshake(sessionID: [1], keyHash: [2], certificateKey: key)
        let hellos = [
            XFTPClientHello(version: XFTPVersion(3), keyHash: [3]),
            XFTPClientHello(version: XFTPVersion(4), keyHash: [2]),
        ]
        for hello in hellos {
            let body = try XFTPBlock.pad(hello.smpEncoded())
            #expect(throws: XFTPServerError.handshake) { try server.acceptClientHello(clientHello: body) }
        }
        #expect(throws: XFTPServerError.handshake) { try server.acceptClientHello(clientHello: [0, 0]) }
    }

    @Test
    func `XFTP commands are signed as in simplexmq, and sent with the session id`() throws {
        let keys = try vectors.object("transmissionKeys")
        let list = try vectors.list("transmissions")
        #expect(list.count == 4)
        for vector in list {
            let session = XFTPSessionParameters(
                version: XFTPVersion(UInt16(try vector.int("version"))),
                sessionID: try vector.bytes("sessionId")
            )
            let command = try XFTPCommand(parsing: vector.bytes("command")[...])
            let isSender = if case .fnew = command { true } else { false }
            let key = try AuthorizationPrivateKey(pkcs8: keys.object(isSender ? "sender" : "recipient").bytes("pkcs8"))
            let (entity, corrID) = (try vector.bytes("entityId"), try vector.bytes("corrId"))
            let block = try session.encodeBlock(command, entityID: entity, key: key, corrID: corrID)

            // In the vectors the session id is signed but not sent. Clients and servers also send the session id,
            // between signature and correlation id.
            var expected = try vector.bytes("unpaddedBlock")
            expected.insert(
                contentsOf: [UInt8(session.sessionID.count)] + session.sessionID,
                at: 3 + 1 + Ed25519.signatureSize
            )
            let length = Int(expected[1]) << 8 + Int(expected[2]) + 1 + session.sessionID.count
            (expected[1], expected[2]) = (UInt8(length >> 8), UInt8(length & 255))
            #expect(try XFTPBlock.unpad(block).hex == expected.hex)

            let received = try session.parseTransmission(in: XFTPBlock.pad(expected))
            #expect(received.corrID == corrID && received.entityID == entity)
            #expect(try received.authorizedBytes.hex == vector.text("authorizedBytes"))
            #expect(try received.parseFileCommand() == command)
            #expect(received.isAuthorized(by: key.publicKey, sessionKey: try X25519.PrivateKey()))
            let other = AuthorizationKey.ed25519(try Ed25519.PrivateKey().publicKey)
            #expect(!received.isAuthorized(by: other, sessionKey: try X25519.PrivateKey()))
        }
    }

    @Test
    func `The XFTP command PING is sent without a signature`() throws {
        let sessionID: [UInt8] = [7, 8, 9]
        let session = XFTPSessionParameters(version: XFTPVersion(3), sessionID: sessionID)
        var expected = try vectors.bytes("pingBlock")
        expected.insert(contentsOf: [3] + sessionID, at: 4)
        expected[2] += 4
        let corrID = Array(expected[(4 + 4 + 1)..<(4 + 4 + 1 + 24)])
        #expect(try XFTPBlock.unpad(session.encodeBlock(.ping, corrID: corrID)).hex == expected.hex)
        #expect(try session.parseTransmission(in: session.encodeBlock(.ping)).parseFileCommand() == .ping)
    }

    @Test
    func `An XFTP answer with another session's id or without its entity id is refused`() throws {
        let session = XFTPSessionParameters(version: XFTPVersion(3), sessionID: [1, 2, 3])
        let block = try session.encodeBlock(.ok, entityID: [5], corrID: [])
        #expect(try session.parseResponse(in: block) == .ok)
        let other = XFTPSessionParameters(version: XFTPVersion(3), sessionID: [1, 2, 4])
        #expect(throws: XFTPServerError.session) { try other.parseResponse(in: block) }
        #expect(throws: XFTPServerError.block) { try session.parseResponse(in: Array(block.dropLast())) }
        let bare = try session.encodeBlock(.ok, entityID: [], corrID: [])
        #expect(throws: XFTPServerError.cmd(.noEntity)) { try session.parseResponse(in: bare) }
        let keys = [AuthorizationKey](repeating: .ed25519(try Ed25519.PrivateKey().publicKey), count: 256)
        #expect(throws: SMPTransportError.largeMsg) { try session.encodeBlock(.fadd(recipients: keys), entityID: [5]) }
    }

    @Test
    func `File chunks are encrypted for transport as in simplexmq, and changed chunks are refused`() throws {
        let vector = try vectors.object("chunkTransportEncryption")
        let cases = try vector.list("cases")
        #expect(cases.count == 2)
        for one in cases {
            let client = try X25519.PrivateKey(rawRepresentation: vector.object("recipientKey").bytes("private"))
            let server = try X25519.PublicKey(rawRepresentation: vector.object("serverKey").bytes("public"))
            let secret = try client.sharedSecret(with: server)
            #expect(try secret.rawRepresentation.hex == one.text("dhSecret"))
            let nonce = try BoxNonce(rawRepresentation: one.bytes("nonce"))
            let chunk = try (0..<one.int("bodyLength")).map { UInt8(truncatingIfNeeded: $0) }
            let digest = Digest.sha256(chunk)
            #expect(try digest.hex == one.text("bodySha256"))
            let sealed = ChunkEncryption.seal(chunk, secret: secret, nonce: nonce)
            try expectDigest(sealed, one.object("encrypted"))
            #expect(try sealed.suffix(16).hexText == one.text("last16"))
            func open(_ body: [UInt8], _ digest: [UInt8]) throws -> [UInt8] {
                try ChunkEncryption.open(body, secret: secret, nonce: nonce, size: chunk.count, digest: digest)
            }
            #expect(try open(sealed, digest) == chunk)
            #expect(throws: XFTPServerError.size) { try open(Array(sealed.dropLast()), digest) }
            #expect(throws: XFTPServerError.size) { try open(sealed + [0], digest) }
            #expect(throws: XFTPServerError.digest) { try open(sealed, [1]) }
            var changed = sealed
            changed[0] ^= 1
            #expect(throws: XFTPServerError.crypto) { try open(changed, digest) }
        }
    }
}

extension Collection<UInt8> {
    fileprivate var hexText: String { Array(self).hex }
}
