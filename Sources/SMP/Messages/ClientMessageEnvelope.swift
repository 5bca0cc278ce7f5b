public import SimpleXCrypto

/// The body of SEND: a message that is encrypted end to end for one queue, in addition to any encryption inside.
///
/// simplexmq `protocol/simplex-messaging.md`, "Send message"; the version belongs to the SMP client protocol (1–4).
public struct ClientMessageEnvelope: Hashable, Sendable {
    public var header: PublicHeader
    public var nonce: BoxNonce
    /// The encrypted ``ClientMessage``, with the tag first.
    public var encBody: [UInt8]

    /// The part of a message that the relay can read.
    public struct PublicHeader: Hashable, Sendable {
        /// The version of the SMP client protocol.
        public var clientVersion: UInt16
        /// The sender's key for this queue. Confirmations and contact requests contain it, until the recipient has the
        /// key.
        public var dhKey: X25519.PublicKey?

        public init(clientVersion: UInt16, dhKey: X25519.PublicKey?) {
            self.clientVersion = clientVersion
            self.dhKey = dhKey
        }
    }

    /// Number of bytes after padding, without the tag, when the header has a key.
    public static let confirmationLength = 15904
    /// Number of bytes after padding, without the tag, when the header has no key.
    public static let messageLength = 16000

    public init(header: PublicHeader, nonce: BoxNonce, encBody: [UInt8]) {
        self.header = header
        self.nonce = nonce
        self.encBody = encBody
    }

    /// Pads and encrypts `message` with the secret of the sender's and the recipient's keys for the queue. Throws
    /// `messageTooLarge` for a message that is too long.
    public init(
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
    public func open(secret: X25519.SharedSecret) throws -> ClientMessage {
        try ClientMessage(smpEncoded: try CryptoBox.open(encBody, secret: secret, nonce: nonce))
    }
}

extension ClientMessageEnvelope: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.value(header)
        writer.value(nonce)
        writer.raw(encBody)
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        header = try reader.value()
        nonce = try reader.value()
        encBody = reader.tail()
    }
}

extension ClientMessageEnvelope.PublicHeader: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.word16(clientVersion)
        writer.optional(dhKey)
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersion = try reader.word16()
        dhKey = try reader.optional()
    }
}

/// The decrypted content of a ``ClientMessageEnvelope``.
public struct ClientMessage: Hashable, Sendable {
    public var header: PrivateHeader
    /// The agent message in its envelope.
    public var body: [UInt8]

    public enum PrivateHeader: Hashable, Sendable {
        /// The message contains the sender's key, with which the recipient secures the queue (KEY).
        case confirmation(AuthorizationKey)
        case empty
    }

    public init(header: PrivateHeader = .empty, body: [UInt8]) {
        self.header = header
        self.body = body
    }
}

extension ClientMessage: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.value(header)
        writer.raw(body)
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        header = try reader.value()
        body = reader.tail()
    }
}

extension ClientMessage.PrivateHeader: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        switch self {
        case .confirmation(let key):
            writer.byte(UInt8(ascii: "K"))
            writer.value(key)
        case .empty: writer.byte(UInt8(ascii: "_"))
        }
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.byte() {
        case UInt8(ascii: "K"): self = .confirmation(try reader.value())
        case UInt8(ascii: "_"): self = .empty
        default: throw .invalidTag
        }
    }
}
