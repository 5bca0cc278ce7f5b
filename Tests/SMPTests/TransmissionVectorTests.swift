import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport

/// smp-transmissions.json: transmissions, their authorization, batches and encrypted blocks.
struct TransmissionVectorTests {
    @Test
    func `SMP transmissions are encoded, authorized and put into blocks as in the original`() throws {
        let vectors = try Fixture.readVectors("smp-transmissions")
        let sessionKey = try X25519.PrivateKey(rawRepresentation: vectors.object("serverX25519").bytes("private"))
        for vector in try vectors.list("transmissions") {
            let session = SessionParameters(
                version: SMPVersion(UInt16(try vector.number("version"))),
                sessionID: try vectors.bytes("sessionId")
            )
            let corrID = try vector.bytes("corrId")
            let command = try ClientCommand(parsing: try vector.bytes("command"), version: session.version)
            let content = try TransmissionContent(
                command,
                corrID: corrID,
                entityID: try vector.bytes("entityId"),
                session: session
            )
            let expected = try (vector.text("authorizedBytes"), vector.text("sentBytes"))
            #expect((content.authorizedBytes.hex, content.sentBytes.hex) == expected)

            let key = try readAuthorizationKey(vector.text("authorization"), vectors)
            let authorization = try key.map {
                try content.makeAuthorization(by: $0, corrID: corrID, serverKey: sessionKey.publicKey)
            }
            let transmission = content.encodeTransmission(authorization: authorization ?? [])
            try expectEqual(transmission, vector.text("transmission"))

            guard case .block(let batch, 0..<1) = TransmissionBatch.splitIntoBlocks([transmission]).first else {
                Issue.record("the transmission is not one block")
                continue
            }
            try expectEqual(batch, vector.text("batch"))
            var cipher = BlockCipher()
            try expectDigest(cipher.seal(batch), vector.object("block"))

            let part = try #require(try TransmissionBatch.parseTransmissions(batch).first)
            let received = try ReceivedTransmission(parsing: part, session: session)
            #expect(received.corrID == corrID)
            #expect(try received.parseClientCommand() == command)
            if let key {
                #expect(received.isAuthorized(by: key.publicKey, sessionKey: sessionKey))
                var tampered = received
                tampered.corrID[0] ^= 1
                tampered.authorization = .signature([UInt8](repeating: 1, count: 64))
                #expect(!tampered.isAuthorized(by: key.publicKey, sessionKey: sessionKey))
            }
        }
    }

    @Test
    func `An SMP transmission with a service signature has the bytes of the original`() throws {
        let vectors = try Fixture.readVectors("smp-transmissions")
        let vector = try vectors.object("withServiceSignature")
        let session = SessionParameters(version: SMPVersion(17), sessionID: try vectors.bytes("sessionId"))
        let bytes = try vector.bytes("transmission")
        let received = try ReceivedTransmission(parsing: bytes[...], session: session)
        let signature = try #require(received.serviceSignature)
        let serviceKey = try Ed25519.PublicKey(rawRepresentation: vector.object("serviceKey").bytes("public"))
        #expect(serviceKey.isValidSignature(signature, for: received.authorizedBytes))
        try expectEqual(received.authorizedBytes, vector.text("signedByServiceKey"))
        let content = try TransmissionContent(
            received.parseClientCommand(),
            corrID: received.corrID,
            entityID: received.entityID,
            session: session
        )
        guard case .signature(let authorization) = received.authorization else {
            Issue.record("no signature")
            return
        }
        #expect(content.encodeTransmission(authorization: authorization, serviceSignature: signature) == bytes)
        let certificateHash = try vector.bytes("serviceCertificateFingerprintSha256")
        try expectEqual(received.authorizedBytes(certificateHash: certificateHash), vector.text("signedByEntityKey"))
        let queueKey = AuthorizationPrivateKey.ed25519(
            try Ed25519.PrivateKey(rawRepresentation: vectors.object("recipientEd25519").bytes("private"))
        )
        #expect(
            try content.makeAuthorization(
                by: queueKey,
                corrID: received.corrID,
                serverKey: nil,
                certificateHash: certificateHash
            ) == authorization
        )
        let sessionKey = try X25519.PrivateKey()
        #expect(received.isAuthorized(by: queueKey.publicKey, sessionKey: sessionKey, certificateHash: certificateHash))
        #expect(!received.isAuthorized(by: queueKey.publicKey, sessionKey: sessionKey))
    }

    @Test
    func `An SMP transmission of version 6 with the id of another session is refused with SESSION`() throws {
        let own = SessionParameters(version: SMPVersion(6), sessionID: [1, 2, 3])
        let other = SessionParameters(version: SMPVersion(6), sessionID: [1, 2, 4])
        let bytes = try TransmissionContent(.ping, corrID: [9], entityID: [], session: other).encodeTransmission()
        #expect(throws: ReceivedTransmission.Fault(corrID: [9], error: .session)) {
            try ReceivedTransmission(parsing: bytes[...], session: own)
        }
    }

    @Test
    func `SMP transmissions of various sizes are distributed to blocks as in the original`() throws {
        let batches = try Fixture.readVectors("smp-transmissions").object("batches")
        let three = try TransmissionBatch.parseTransmissions(batches.bytes("threeTransmissionsHex")).map { Array($0) }
        try expectParts(TransmissionBatch.splitIntoBlocks(three), batches.list("threeTransmissions"))

        for vector in try batches.list("singleBySize") {
            // In every vector the recorded SEND has a body of letters x after the same first bytes.
            let start = try decodeHex(
                "0018fd1a06f012be6f2f8fc1a7d51158e0f8fe95b0c80373171a18e3f19085d1638634445cc5a5f1ec571bd099f5f0f764f6d3"
            )
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: Int(try vector.number("sendBodyLength")))
            let parts = TransmissionBatch.splitIntoBlocks([start + Array("SEND F ".utf8) + body])
            let result = try vector.list("result")
            if result.first?["error"] != nil {
                #expect(parts == [.tooLarge(0)])
            } else {
                try expectParts(parts, result)
            }
        }
    }

    @Test
    func `300 SMP transmissions are distributed to several blocks as in the original`() throws {
        let batches = try Fixture.readVectors("smp-transmissions").object("batches")
        let start = try decodeHex(
            "0018fd1a06f012be6f2f8fc1a7d51158e0f8fe95b0c80373171a18e3f19085d1638634445cc5a5f1ec571bd099f5f0f764f6d3"
        )
        let transmissions = [[UInt8]](repeating: start + Array("SUB".utf8), count: 300)
        try expectParts(TransmissionBatch.splitIntoBlocks(transmissions), batches.list("threeHundred"))
    }

    @Test
    func `An SMP transmission that is too large for a block is reported without affecting other transmissions`() throws
    {
        let large = [UInt8](repeating: 0, count: TransmissionBatch.capacity - 1)
        let parts = TransmissionBatch.splitIntoBlocks([[1], large, [2]])
        #expect(parts == [.block([1, 0, 1, 1], 0..<1), .tooLarge(1), .block([1, 0, 1, 2], 2..<3)])
        let fits = [UInt8](repeating: 0, count: TransmissionBatch.capacity - 2)
        #expect(TransmissionBatch.splitIntoBlocks([fits]).count == 1)
    }

    @Test
    func `SMP blocks are encrypted as in the original in both directions`() throws {
        let vectors = try Fixture.readVectors("smp-transmissions")
        for vector in try vectors.list("encryptedBlocks") {
            let clientKey = try X25519.PrivateKey(rawRepresentation: vector.object("clientKey").bytes("private"))
            let serverKey = try X25519.PrivateKey(rawRepresentation: vector.object("serverKey").bytes("private"))
            let secret = try clientKey.sharedSecret(with: serverKey.publicKey)
            let sessionID = try vector.bytes("sessionId")
            var client = BlockCipher(sessionID: sessionID, secret: secret, side: .client)
            var relay = BlockCipher(sessionID: sessionID, secret: secret, side: .relay)
            for step in try vector.list("clientToServer") {
                let message = try step.bytes("message")
                let block = try client.seal(message)
                try expectDigest(block, step.object("block"))
                #expect(try relay.open(block) == message)
            }
            for step in try vector.list("serverToClient") {
                let message = try step.bytes("message")
                let block = try relay.seal(message)
                try expectDigest(block, step.object("block"))
                #expect(try client.open(block) == message)
            }
        }
    }

    @Test
    func `A repeated or too short SMP block is refused, and a too large message is not sealed in a block`() throws {
        let (a, b) = try (X25519.PrivateKey(), X25519.PrivateKey())
        let secret = try a.sharedSecret(with: b.publicKey)
        var client = BlockCipher(sessionID: [1], secret: secret, side: .client)
        var relay = BlockCipher(sessionID: [1], secret: secret, side: .relay)
        let block = try client.seal([1, 2, 3])
        _ = try relay.open(block)
        #expect(throws: SMPTransportError.badBlock) { try relay.open(block) }
        #expect(throws: SMPTransportError.badBlock) { try relay.open([1, 2]) }
        #expect(throws: SMPTransportError.largeMsg) { try client.seal([UInt8](repeating: 0, count: 16367)) }
    }

    private func readAuthorizationKey(_ name: String, _ vectors: JSONValue) throws -> AuthorizationPrivateKey? {
        switch name {
        case "ed25519":
            .ed25519(try Ed25519.PrivateKey(rawRepresentation: vectors.object("recipientEd25519").bytes("private")))
        case "ed448":
            .ed448(try Ed448.PrivateKey(rawRepresentation: vectors.object("recipientEd448").bytes("private")))
        case "x25519":
            .x25519(try X25519.PrivateKey(rawRepresentation: vectors.object("senderX25519").bytes("private")))
        default: nil
        }
    }

    private func expectParts(_ parts: [TransmissionBatch.SplitPart], _ expected: [JSONValue]) throws {
        #expect(parts.count == expected.count)
        for (part, expected) in zip(parts, expected) {
            guard case .block(let content, let range) = part else {
                Issue.record("the part is too large")
                continue
            }
            let count = try expected.number("count")
            #expect(Int64(range.count) == count)
            try expectDigest(content, expected)
        }
    }
}

/// Compares bytes with hex text, without printing a large value completely.
func expectEqual(_ bytes: [UInt8], _ hex: String, _ location: SourceLocation = #_sourceLocation) {
    #expect(bytes.hex == hex, sourceLocation: location)
}

/// Compares bytes with a digest object of the vectors: length, first 64 bytes and SHA-256.
func expectDigest(_ bytes: [UInt8], _ digest: JSONValue, _ location: SourceLocation = #_sourceLocation) throws {
    let (length, first, hash) = try (digest.number("length"), digest.text("first64"), digest.text("sha256"))
    #expect(Int64(bytes.count) == length, sourceLocation: location)
    #expect(Array(bytes.prefix(64)).hex == first, sourceLocation: location)
    #expect(Digest.sha256(bytes).hex == hash, sourceLocation: location)
}
