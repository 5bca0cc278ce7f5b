package import SimpleXCrypto

/// The content of a delivered message (MSG), inside the encryption between relay and recipient.
///
/// simplexmq `protocol/simplex-messaging.md`, "Deliver queue message".
package enum RcvMessageBody: Hashable, Sendable {
    /// A sender's message. `timestamp` is the time at which the relay accepted it, in seconds since 1970.
    case message(timestamp: Int64, flags: MessageFlags, body: [UInt8])
    /// A marker after the last message that a full queue accepted. When the marker is acknowledged, the sender may send
    /// again.
    case quota(timestamp: Int64)

    /// The time at which the relay accepted the message, in seconds since 1970.
    package var timestampSeconds: Int64 {
        switch self {
        case .message(let timestamp, _, _), .quota(let timestamp): timestamp
        }
    }

    /// Number of bytes of the padded body, without the authentication tag, in every version.
    package static let paddedLength = 16106

    /// Pads and encrypts the body with the secret of the recipient's and the relay's keys for the queue. The nonce is
    /// the message id.
    package func seal(secret: X25519.SharedSecret, messageID: [UInt8]) throws(CryptoError) -> [UInt8] {
        var writer = ByteWriter(capacity: Self.paddedLength)
        encode(to: &writer)
        return try CryptoBox.seal(
            writer.bytes,
            secret: secret,
            nonce: BoxNonce(padding: messageID),
            paddedTo: Self.paddedLength
        )
    }

    /// Decrypts and parses the body of a delivered message (MSG).
    package init(opening box: [UInt8], secret: X25519.SharedSecret, messageID: [UInt8]) throws(RcvMessageError) {
        guard let plain = try? CryptoBox.open(box, secret: secret, nonce: BoxNonce(padding: messageID)) else {
            throw .decryption
        }
        guard let body = try? RcvMessageBody(smpEncoded: plain) else { throw .syntax }
        self = body
    }
}

/// The reason why the body of a delivered message (MSG) cannot be used. The relay or an attacker causes this error; no
/// sender can cause it.
package enum RcvMessageError: Error, Hashable, Sendable {
    case decryption
    case syntax
}

extension RcvMessageBody: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .message(let timestamp, let flags, let body):
            writer.writeInt64(timestamp)
            writer.writeValue(flags)
            writer.writeByte(UInt8(ascii: " "))
            writer.writeRaw(body)
        case .quota(let timestamp):
            writer.writeASCII("QUOTA ")
            writer.writeInt64(timestamp)
        }
    }

    /// Parses a body, and tries the form of a quota marker first, since the timestamp of a message cannot begin with
    /// the word "QUOTA".
    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        var quota = reader
        if quota.skip("QUOTA "), quota.remainingCount == 8 {
            self = .quota(timestamp: try quota.readInt64())
            reader = quota
            return
        }
        let timestamp = try reader.readInt64()
        let flags: MessageFlags = try reader.readValue()
        guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
        self = .message(timestamp: timestamp, flags: flags, body: reader.readRest())
    }
}
