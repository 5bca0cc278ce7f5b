import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport

/// handshake.json: complete handshakes, certificates and signed keys.
struct HandshakeVectorTests {
    let vectors: JSONValue

    init() throws { vectors = try Fixture.readVectors("handshake") }

    @Test(arguments: ["ed25519", "ed448"])
    func `The signed session key and the certificate chain have the binary form of the original`(
        algorithm: String
    ) throws {
        let vector = try vectors.object("signedServerKey").object(algorithm)
        let certificates = try vectors.object("certificates").object(algorithm)
        let sessionKey = try X25519.PublicKey(spki: vectors.object("serverSessionKey").bytes("publicSpki"))
        let leaf = try SignaturePrivateKey(pkcs8: certificates.object("leafKey").bytes("privatePkcs8"))
        let signed = try SignedSessionKey(sessionKey, signedWith: leaf)
        try expectEqual(signed.signedBytes, vector.text("signedBytes"))
        try expectEqual(signed.signature, vector.text("signature"))
        try expectEqual(signed.smpEncoded(), vector.text("smp"))

        let encoded = try vectors.object("certChainPubKey").text(algorithm)
        let chain = try CertificateChainKey(smpEncoded: try decodeHex(encoded))
        try expectEqual(chain.smpEncoded(), encoded)
        let ders = try certificates.list("certificatesDer").compactMap(\.stringValue)
        #expect(chain.certificates.map(\.hex) == ders)
        let fingerprint = try certificates.text("identityFingerprint")
        #expect(chain.identityFingerprint?.hex == fingerprint)
        let signer = try SignaturePublicKey(certificate: chain.certificates[0])
        #expect(signer == leaf.publicKey)
        #expect(chain.signedKey.verifiedKey(signedBy: signer) == sessionKey)
    }

    @Test
    func `Both sides of each recorded handshake send the hellos and reach the result of the original`() throws {
        let sessionID = try vectors.bytes("sessionId")
        let (serverKey, clientKey) = try (readSessionKey("serverSessionKey"), readSessionKey("clientSessionKey"))
        var count = 0
        // Handshakes of services have a third message: `services` tests them.
        for vector in try vectors.list("sessions") where vector["serviceRole"]?.stringValue == nil {
            count += 1
            let name = Comment(rawValue: try vector.text("name"))
            let serverHello = try vector.firstElement("serverMessages").bytes("hex")
            var reader = ByteReader(serverHello)
            let hello = try ServerHello(from: &reader)
            expectEqual(try hello.smpEncoded(), serverHello.hex)
            let certificates = try vectors.object("certificates").object(vector.text("certificates"))

            var client = ClientHandshake(
                sessionID: sessionID,
                keyHash: try vector.bytes("expectedServerIdentity"),
                leafCertificate: nil,
                versions: try readRange(vector, "clientRange"),
                key: clientKey
            )
            client.isProxy = try vector.flag("proxyServer")
            let clientResult = try vector.object("clientResult")
            guard clientResult["error"] == nil else {
                #expect(throws: SMPTransportError.self, name) { try client.makeClientHello(serverHello: serverHello) }
                continue
            }
            let (answer, result) = try client.makeClientHello(serverHello: serverHello)
            // Our client always sends its key, and therefore gets encrypted blocks. The recorded client without a key
            // gets plain blocks.
            if try vector.flag("clientSendsKey") { expectResult(result, clientResult, name) }

            let clientHello = try vector.firstElement("clientMessages").bytes("hex")
            let theirs = try ClientHello(smpEncoded: clientHello)
            #expect(try theirs.smpEncoded() == clientHello, name)
            if try vector.flag("clientSendsKey") {
                #expect(try answer.smpEncoded() == clientHello, name)
            }

            guard let key = hello.key else { continue }
            let server = ServerHandshake(
                sessionID: sessionID,
                keyHash: try certificates.bytes("identityFingerprint"),
                versions: try readRange(vector, "serverRange"),
                certificateKey: key,
                key: serverKey
            )
            #expect(try server.hello.smpEncoded() == serverHello, name)
            let serverResult = try vector.object("serverResult")
            guard serverResult["error"] == nil else {
                #expect(throws: SMPTransportError.self, name) { try server.acceptClientHello(clientHello: clientHello) }
                continue
            }
            expectResult(try server.acceptClientHello(clientHello: clientHello), serverResult, name)
        }
        #expect(count > 8)
    }

    @Test
    func `Handshakes of SMP services have the messages and the result of the original`() throws {
        let sessionID = try vectors.bytes("sessionId")
        let serviceKey = try Ed25519.PrivateKey(
            rawRepresentation: vectors.object("clientServiceSessionKey").bytes("private")
        )
        let shown = try vectors.object("certificates").object("service")
        var count = 0
        for vector in try vectors.list("sessions") where vector["serviceRole"]?.stringValue != nil {
            count += 1
            let name = Comment(rawValue: try vector.text("name"))
            let certificates = try shown.list("certificatesDer").map { try decodeHex($0.stringValue ?? "") }
            let role = try #require(ClientHello.Service.Role(rawValue: vector.text("serviceRole").utf8.first ?? 0))
            let credentials = try ServiceCredentials(
                role: role,
                certificates: certificates,
                leafKey: SignaturePrivateKey(pkcs8: shown.object("leafKey").bytes("privatePkcs8"))
            )
            let hash = credentials.certificateHash.hex
            #expect(try hash == shown.text("identityFingerprint"))

            let messages = try vector.list("serverMessages").map { try $0.bytes("hex") }
            let clientHello = try vector.firstElement("clientMessages").bytes("hex")
            var client = ClientHandshake(
                sessionID: sessionID,
                keyHash: try vector.bytes("expectedServerIdentity"),
                leafCertificate: nil,
                versions: try readRange(vector, "clientRange"),
                key: try readSessionKey("clientSessionKey")
            )
            client.isProxy = try vector.flag("proxyServer")
            client.serviceIdentity = (credentials, serviceKey)
            let (answer, result) = try client.makeClientHello(serverHello: messages[0])
            #expect(try answer.smpEncoded() == clientHello, name)
            #expect((answer.service != nil) == (result.session.version >= .firstWithServiceCertificates))

            var reader = ByteReader(messages[0])
            let server = ServerHandshake(
                sessionID: sessionID,
                keyHash: client.keyHash,
                versions: try readRange(vector, "serverRange"),
                certificateKey: try #require(try ServerHello(from: &reader).key),
                key: try readSessionKey("serverSessionKey")
            )
            let accepted = try server.acceptClientHello(clientHello: clientHello, peerCertificates: certificates)
            #expect(accepted.peerService?.key == (answer.service == nil ? nil : serviceKey.publicKey), name)
            if answer.service != nil {
                #expect(accepted.peerService?.role == role && accepted.peerService?.certificateHash.hex == hash)
                #expect(throws: SMPTransportError.handshake(.badAuth)) {
                    try server.acceptClientHello(clientHello: clientHello)
                }
            }
            let clientResult = try vector.object("clientResult")
            if clientResult["error"] == nil {
                expectResult(result, clientResult, name)
                expectResult(accepted, try vector.object("serverResult"), name)
            }
            guard messages.count > 1 else { continue }
            let response = try ServiceHandshakeResponse(smpEncoded: messages[1])
            #expect(try response.smpEncoded() == messages[1], name)
            let expected: ServiceHandshakeResponse =
                clientResult["error"] == nil
                ? .accepted(serviceID: try vectors.bytes("serviceId")) : .refused(.handshake(.badService))
            #expect(response == expected, name)
            var cipher = BlockCipher()
            try expectDigest(cipher.seal(messages[1]), vector.list("serverMessages")[1].object("block"))
        }
        #expect(count > 4)
    }

    @Test
    func `SMP transport errors have the binary form of the original`() throws {
        for vector in try vectors.list("transportErrors") {
            let bytes = try vector.bytes("hex")
            #expect(try SMPTransportError(smpEncoded: bytes).smpEncoded() == bytes)
        }
    }

    @Test
    func `A relay's hello with a wrong session id, a wrong key or a forged signature is refused`() throws {
        let sessionID = try vectors.bytes("sessionId")
        let encoded = try vectors.object("certChainPubKey").bytes("ed25519")
        let key = try CertificateChainKey(smpEncoded: encoded)
        let identity = try #require(key.identityFingerprint)
        let versions = SupportedVersions.relay
        let client = ClientHandshake(
            sessionID: sessionID,
            keyHash: identity,
            leafCertificate: nil,
            key: try X25519.PrivateKey()
        )
        func answer(_ hello: ServerHello) throws { _ = try client.makeClientHello(serverHello: hello.smpEncoded()) }

        try answer(ServerHello(versions: versions, sessionID: sessionID, key: key))
        #expect(throws: SMPTransportError.badSession) {
            try answer(ServerHello(versions: versions, sessionID: [1], key: key))
        }
        #expect(throws: SMPTransportError.noServerAuth) {
            try answer(ServerHello(versions: versions, sessionID: sessionID, key: nil))
        }
        let forged = CertificateChainKey(
            certificates: key.certificates,
            signedKey: try SignedSessionKey(
                X25519.PrivateKey().publicKey,
                signedWith: .ed25519(Ed25519.PrivateKey())
            )
        )
        #expect(throws: SMPTransportError.handshake(.badAuth)) {
            try answer(ServerHello(versions: versions, sessionID: sessionID, key: forged))
        }
        #expect(throws: SMPTransportError.handshake(.parse)) { try client.makeClientHello(serverHello: [0, 9]) }
    }

    private func readSessionKey(_ name: String) throws -> X25519.PrivateKey {
        try X25519.PrivateKey(rawRepresentation: vectors.object(name).bytes("private"))
    }

    private func readRange(_ vector: JSONValue, _ key: String) throws -> ProtocolVersionRange {
        let numbers = try vector.list(key).compactMap(\.integerValue)
        return try #require(ProtocolVersionRange(min: UInt16(numbers[0]), max: UInt16(numbers[1])))
    }

    private func expectResult(_ result: HandshakeResult, _ expected: JSONValue, _ name: Comment) {
        #expect(Int64(result.session.version.number) == expected["version"]?.integerValue, name)
        #expect(result.session.isSessionIDImplied == expected["sessionIdImplied"]?.boolValue, name)
        #expect(result.session.hasServiceSignatures == expected["serviceAuth"]?.boolValue, name)
        let keys = expected["blockEncryption"]
        #expect(result.blockCipher.chainKeys?.send.hex == keys?["sndChainKey"]?.stringValue, name)
        #expect(result.blockCipher.chainKeys?.receive.hex == keys?["rcvChainKey"]?.stringValue, name)
    }
}
