import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport

/// smp-messages.json: every layer of a command that is sent through a proxy, and the metadata of a notification.
struct ForwardingVectorTests {
    let vectors: JSONValue

    init() throws { vectors = try Fixture.readVectors("smp-messages") }

    @Test
    func `A forwarded command and its response are encrypted as in the original`() throws {
        let vector = try vectors.object("proxyForwarding")
        let version = SMPVersion(UInt16(try #require(vector["version"]?.integerValue)))
        let relayKey = try X25519.PrivateKey(rawRepresentation: vector.object("relayServerKey").bytes("private"))
        let session = SessionParameters(version: version, sessionID: try vector.bytes("relaySessionId"))
        let relay = ProxiedRelay(
            destination: try ProtocolServer(parsing: "smp://AAAA@localhost"),
            session: session,
            key: relayKey.publicKey
        )
        let nonce = try BoxNonce(rawRepresentation: vector.bytes("clientCorrId"))
        let command = try ClientCommand(parsing: vector.bytes("command"), version: version)
        let sndKey = AuthorizationPrivateKey.x25519(
            try X25519.PrivateKey(rawRepresentation: vector.object("senderAuthKey").bytes("private"))
        )
        let commandKey = try X25519.PrivateKey(rawRepresentation: vector.object("commandKey").bytes("private"))
        let sealed = try relay.sealCommand(
            SMPRequest(command, entityID: try vector.bytes("senderId"), key: sndKey),
            nonce: nonce,
            commandKey: commandKey
        )
        var writer = ByteWriter()
        sealed.command.encode(to: &writer, version: version)
        try expectDigest(writer.bytes, vector.object("pfwdCommand"))
        guard case .pfwd(let forwardVersion, let key, let box) = sealed.command else {
            Issue.record("no PFWD")
            return
        }
        try expectDigest(box, vector.object("encTransmission"))
        let secret = try commandKey.sharedSecret(with: relayKey.publicKey)
        try expectEqual(try CryptoBox.open(box, secret: secret, nonce: nonce), vector.text("batch"))

        let forward = ForwardedTransmission(
            corrID: nonce.rawRepresentation,
            version: forwardVersion,
            key: key,
            encTransmission: box
        )
        let plain = try forward.smpEncoded()
        try expectDigest(plain, vector.object("fwdTransmissionPlain"))
        #expect(try ForwardedTransmission(smpEncoded: plain) == forward)
        let proxyKey = try X25519.PrivateKey(rawRepresentation: vector.object("proxySessionKey").bytes("private"))
        let (proxySecret, proxyNonce) = try (
            proxyKey.sharedSecret(with: relayKey.publicKey), BoxNonce(rawRepresentation: vector.bytes("proxyCorrId"))
        )
        let encForward = try CryptoBox.seal(plain, secret: proxySecret, nonce: proxyNonce)
        try expectDigest(encForward, vector.object("encFwdTransmission"))
        var rfwd = ByteWriter()
        ClientCommand.rfwd(encForward: encForward).encode(to: &rfwd, version: version)
        try expectDigest(rfwd.bytes, vector.object("rfwdCommand"))

        for response in try vector.list("responses") {
            let answer = try BrokerMessage(parsing: response.bytes("response"), version: version)
            let content = try TransmissionContent(
                answer,
                corrID: nonce.rawRepresentation,
                entityID: try vector.bytes("senderId"),
                session: session
            )
            guard case .block(let batch, _)? = TransmissionBatch.splitIntoBlocks([content.encodeTransmission()]).first
            else {
                continue
            }
            try expectEqual(batch, response.text("batch"))
            let encResponse = try CryptoBox.seal(
                batch,
                secret: secret,
                nonce: nonce.reversed,
                paddedTo: ForwardedTransmission.paddedLength
            )
            try expectDigest(encResponse, response.object("encResponse"))
            let forwarded = try ForwardedResponse(corrID: nonce.rawRepresentation, encResponse: encResponse)
                .smpEncoded()
            try expectDigest(forwarded, response.object("fwdResponsePlain"))
            try expectDigest(
                try CryptoBox.seal(forwarded, secret: proxySecret, nonce: proxyNonce.reversed),
                response.object("encFwdResponse")
            )
            if case .err(let error) = answer {
                #expect(throws: SMPClientError.smp(error)) { try relay.openAnswer(encResponse, sealed) }
            } else {
                #expect(try relay.openAnswer(encResponse, sealed) == answer)
            }
        }
        let lengths = try vectors.object("lengths")
        #expect(lengths["proxied"]?.integerValue == Int64(ForwardedTransmission.paddedLength))
    }

    @Test
    func `The metadata of a message notification are encrypted as in the original`() throws {
        let vector = try vectors.object("notification")
        let key = try X25519.PrivateKey(rawRepresentation: vector.object("serverNtfDhKey").bytes("private"))
        let secret = try key.sharedSecret(
            with: X25519.PublicKey(rawRepresentation: vector.object("recipientNtfDhKey").bytes("public"))
        )
        try expectEqual(secret.rawRepresentation, vector.text("dhSecret"))
        let meta = NotificationMeta(messageID: try vector.bytes("msgId"), timestamp: try vector.number("timestamp"))
        try expectEqual(meta.smpEncoded(), vector.text("plaintext"))
        let nonce = try BoxNonce(rawRepresentation: vector.bytes("nonce"))
        let box = try meta.seal(secret: secret, nonce: nonce)
        try expectEqual(box, vector.text("encMeta"))
        #expect(try NotificationMeta(opening: box, secret: secret, nonce: nonce) == meta)
        #expect(throws: RcvMessageError.decryption) {
            try NotificationMeta(opening: box, secret: secret, nonce: .random())
        }
    }
}
