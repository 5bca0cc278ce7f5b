package import SimpleXCrypto

/// The metadata of a notification (NMSG) about a message. Only the recipient can read it.
///
/// simplexmq `protocol/simplex-messaging.md`, "Deliver message notification".
package struct NotificationMeta: Hashable, Sendable, SMPCodable {
    package var messageID: [UInt8]
    /// The time at which the relay accepted the message, in seconds since 1970.
    package var timestampSeconds: Int64

    /// Number of bytes of the padded metadata, without the authentication tag.
    package static let paddedLength = 128

    package init(messageID: [UInt8], timestamp: Int64) {
        self.messageID = messageID
        self.timestampSeconds = timestamp
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeShortBytes(messageID)
        writer.writeInt64(timestampSeconds)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        messageID = try reader.readShortBytes()
        timestampSeconds = try reader.readInt64()
    }

    /// Encrypts the metadata.
    /// - Parameter secret: the result of the key agreement between recipient and relay for notifications of the queue.
    package func seal(secret: X25519.SharedSecret, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
        guard let bytes = try? smpEncoded() else { throw .messageTooLarge }
        return try CryptoBox.seal(bytes, secret: secret, nonce: nonce, paddedTo: Self.paddedLength)
    }

    package init(opening box: [UInt8], secret: X25519.SharedSecret, nonce: BoxNonce) throws(RcvMessageError) {
        guard let plain = try? CryptoBox.open(box, secret: secret, nonce: nonce) else { throw .decryption }
        guard let meta = try? NotificationMeta(smpEncoded: plain) else { throw .syntax }
        self = meta
    }
}
