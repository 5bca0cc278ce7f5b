import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport

/// smp-messages.json: messages that relays deliver, and the senders' envelopes in them.
struct MessageVectorTests {
    let vectors: JSONValue

    init() throws { vectors = try Fixture.readVectors("smp-messages") }

    @Test
    func `Message bodies from the relay to the recipient are encrypted as in the original`() throws {
        for vector in try vectors.list("serverToRecipient") {
            let body =
                try vector.optionalBytes("body")
                ?? [UInt8](repeating: 0x7A, count: Int(try vector.number("bodyLength")))
            let message = RcvMessageBody.message(
                timestamp: try vector.number("timestamp"),
                flags: MessageFlags(notification: try vector.flag("notification")),
                body: body
            )
            let (messageID, secret) = try (vector.bytes("msgId"), makeDHSecret(vector, "serverDhKey", "recipientDhKey"))
            let box = try message.seal(secret: secret, messageID: messageID)
            try expectDigest(box, vector.object("ciphertext"))
            #expect(try RcvMessageBody(opening: box, secret: secret, messageID: messageID) == message)
            #expect(throws: RcvMessageError.decryption) {
                try RcvMessageBody(opening: box, secret: secret, messageID: [1])
            }
        }
    }

    @Test
    func `The quota message from the relay to the recipient is encrypted as in the original`() throws {
        let vector = try vectors.object("serverToRecipientQuota")
        let message = RcvMessageBody.quota(timestamp: try vector.number("timestamp"))
        let (messageID, secret) = try (vector.bytes("msgId"), makeDHSecret(vector, "serverDhKey", "recipientDhKey"))
        let box = try message.seal(secret: secret, messageID: messageID)
        try expectDigest(box, vector.object("ciphertext"))
        #expect(try RcvMessageBody(opening: box, secret: secret, messageID: messageID) == message)
    }

    @Test
    func `Decrypted message bodies are parsed as in the original`() throws {
        for vector in try vectors.list("receivedBodyParsing") {
            let parsed = try? RcvMessageBody(smpEncoded: vector.bytes("plaintext"))
            let result = try vector.object("result")
            switch parsed {
            case .message(let timestamp, let flags, let body):
                #expect(timestamp == result["timestamp"]?.integerValue)
                #expect(flags.shouldNotify == result["notification"]?.boolValue)
                #expect(body.hex == result["body"]?.stringValue)
            case .quota(let timestamp): #expect(timestamp == result["quotaTimestamp"]?.integerValue)
            case nil: #expect(result["error"]?.boolValue == true)
            }
        }
    }

    @Test
    func `Messages from the sender to the recipient are encrypted as in the original`() throws {
        let section = try vectors.object("perQueueE2E")
        let secret = try makeDHSecret(section, "senderDhKey", "recipientDhKey")
        for vector in try section.list("envelopes") {
            let header = try ClientMessageEnvelope.PublicHeader(smpEncoded: vector.bytes("pubHeader"))
            let message = try ClientMessage(smpEncoded: vector.bytes("clientMessage"))
            let version = try vector.number("clientVersion")
            #expect(Int64(header.clientVersion) == version)
            try expectEqual(header.smpEncoded(), vector.text("pubHeader"))
            try expectEqual(message.smpEncoded(), vector.text("clientMessage"))
            try expectEqual(message.header.smpEncoded(), vector.text("privHeader"))
            try expectEqual(message.body, vector.text("body"))
            let nonce = try BoxNonce(rawRepresentation: vector.bytes("nonce"))
            let envelope = try ClientMessageEnvelope(sealing: message, header: header, secret: secret, nonce: nonce)
            let encoded = try envelope.smpEncoded()
            try expectDigest(encoded, vector.object("envelope"))
            #expect(try ClientMessageEnvelope(smpEncoded: encoded).openMessage(secret: secret) == message)
        }
    }

    private func makeDHSecret(_ vector: JSONValue, _ own: String, _ peer: String) throws -> X25519.SharedSecret {
        let key = try X25519.PrivateKey(rawRepresentation: vector.object(own).bytes("private"))
        return try key.sharedSecret(with: X25519.PublicKey(rawRepresentation: vector.object(peer).bytes("public")))
    }
}
