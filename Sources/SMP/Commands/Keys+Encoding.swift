package import SimpleXCrypto

/// Encodes the key as its SPKI (the DER form of a public key) after a one-byte length. All public keys in commands have
/// this form.
extension X25519.PublicKey: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeShortBytes(spki) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        guard let key = try? X25519.PublicKey(spki: try reader.readShortBytes()) else {
            throw .invalidValue("X25519 key")
        }
        self = key
    }
}

extension AuthorizationKey: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeShortBytes(spki) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let bytes = try reader.readShortBytes()
        guard let key = try? AuthorizationKey(spki: bytes) else { throw .invalidValue("authorization key") }
        self = key
    }
}

/// Encodes the nonce as its 24 bytes, without a length.
extension BoxNonce: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeRaw(rawRepresentation) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(padding: try reader.readBytes(count: BoxNonce.size))
    }
}
