package import SimpleXCrypto

/// A transmission that a proxy forwards to the relay behind it (RFWD). It is encrypted with the secret of the session
/// between the proxy and this relay.
///
/// simplexmq `protocol/simplex-messaging.md`, "Proxying sender commands". The code follows the test vectors
/// (smp-messages: proxyForwarding).
package struct ForwardedTransmission: Hashable, Sendable, SMPCodable {
    /// The correlation id of the sender's command (PFWD), which is also the nonce of the sender's encryption.
    package var corrID: [UInt8]
    /// The version of the sender's command.
    package var version: SMPVersion
    /// The key that the sender made for this command.
    package var key: X25519.PublicKey
    package var encTransmission: [UInt8]

    /// Number of bytes to which the sender's command and the relay's answer are padded before encryption.
    package static let paddedLength = 16226

    package init(corrID: [UInt8], version: SMPVersion, key: X25519.PublicKey, encTransmission: [UInt8]) {
        self.corrID = corrID
        self.version = version
        self.key = key
        self.encTransmission = encTransmission
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeShortBytes(corrID)
        writer.writeValue(version)
        writer.writeValue(key)
        writer.writeRaw(encTransmission)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        corrID = try reader.readShortBytes()
        version = try reader.readValue()
        key = try reader.readValue()
        encTransmission = reader.readRest()
    }
}

/// The relay's answer to a forwarded command (RRES). It is encrypted with the secret of the session between the relay
/// and the proxy.
package struct ForwardedResponse: Hashable, Sendable, SMPCodable {
    /// The correlation id of the sender's command (PFWD).
    package var corrID: [UInt8]
    package var encResponse: [UInt8]

    package init(corrID: [UInt8], encResponse: [UInt8]) {
        self.corrID = corrID
        self.encResponse = encResponse
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeShortBytes(corrID)
        writer.writeRaw(encResponse)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        corrID = try reader.readShortBytes()
        encResponse = reader.readRest()
    }
}
