package import SimpleXCrypto

/// The body of a sent message (SEND), which is encrypted end to end for one queue. The message inside may have another
/// layer of encryption.
///
/// simplexmq `protocol/simplex-messaging.md`, "Send message". The version in the header belongs to the SMP client
/// protocol (1–4).
package struct ClientMessageEnvelope: Hashable, Sendable {
    package var header: PublicHeader
    package var nonce: BoxNonce
    /// The encrypted ``ClientMessage``, after its authentication tag.
    package var encBody: [UInt8]

    /// The part of a message that the relay can read.
    package struct PublicHeader: Hashable, Sendable {
        /// The version of the SMP client protocol.
        package var clientVersion: UInt16
        /// The sender's key for this queue. Confirmations and contact requests contain this key, since the recipient
        /// does not have it yet.
        package var dhKey: X25519.PublicKey?

        package init(clientVersion: UInt16, dhKey: X25519.PublicKey?) {
            self.clientVersion = clientVersion
            self.dhKey = dhKey
        }
    }

    /// Number of bytes of the padded message, without the authentication tag, when the header has a key.
    package static let confirmationLength = 15904
    /// Number of bytes of the padded message, without the authentication tag, when the header has no key.
    package static let messageLength = 16000

    package init(header: PublicHeader, nonce: BoxNonce, encBody: [UInt8]) {
        self.header = header
        self.nonce = nonce
        self.encBody = encBody
    }

    /// Pads and encrypts `message` with the secret of the sender's and the recipient's keys for the queue. Throws
    /// `messageTooLarge` for a message that is too long.
    package init(
        sealing message: ClientMessage,
        header: PublicHeader,
        secret: X25519.SharedSecret,
        nonce: BoxNonce = .random()
    ) throws(CryptoError) {
        self.header = header
        self.nonce = nonce
        guard let content = try? message.smpEncoded() else { throw .messageTooLarge }
        encBody = try CryptoBox.seal(
            content,
            secret: secret,
            nonce: nonce,
            paddedTo: header.dhKey == nil ? Self.messageLength : Self.confirmationLength
        )
    }

    /// Decrypts the message. Throws ``SMPEncodingError`` when the decrypted bytes are not a message.
    package func openMessage(secret: X25519.SharedSecret) throws -> ClientMessage {
        try ClientMessage(smpEncoded: try CryptoBox.open(encBody, secret: secret, nonce: nonce))
    }
}

extension ClientMessageEnvelope: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(header)
        writer.writeValue(nonce)
        writer.writeRaw(encBody)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        header = try reader.readValue()
        nonce = try reader.readValue()
        encBody = reader.readRest()
    }
}

extension ClientMessageEnvelope.PublicHeader: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeWord16(clientVersion)
        writer.writeOptional(dhKey)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersion = try reader.readWord16()
        dhKey = try reader.readOptional()
    }
}

/// The decrypted content of a ``ClientMessageEnvelope``.
package struct ClientMessage: Hashable, Sendable {
    package var header: PrivateHeader
    /// The message of the agent, inside the agent's own envelope.
    package var body: [UInt8]

    package enum PrivateHeader: Hashable, Sendable {
        /// The message contains the sender's key, with which the recipient secures the queue (KEY).
        case confirmation(AuthorizationKey)
        case empty
    }

    package init(header: PrivateHeader = .empty, body: [UInt8]) {
        self.header = header
        self.body = body
    }
}

extension ClientMessage: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(header)
        writer.writeRaw(body)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        header = try reader.readValue()
        body = reader.readRest()
    }
}

extension ClientMessage.PrivateHeader: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .confirmation(let key):
            writer.writeByte(UInt8(ascii: "K"))
            writer.writeValue(key)
        case .empty: writer.writeByte(UInt8(ascii: "_"))
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "K"): self = .confirmation(try reader.readValue())
        case UInt8(ascii: "_"): self = .empty
        default: throw .invalidTag
        }
    }
}
