package import SMP

/// The server's answer to a request without a body, which starts a session.
///
/// simplexmq `protocol/xftp.md`, "ALPN to agree handshake version". Further bytes in the block are ignored.
package struct XFTPServerHello: Hashable, Sendable, SMPCodable {
    package var versions: ProtocolVersionRange
    /// The TLS channel binding, which the client compares with the channel binding of its own connection.
    package var sessionID: [UInt8]
    package var key: CertificateChainKey
    /// The proof of identity for a browser: a signature of the browser's challenge and the session id by the key of the
    /// leaf certificate. Empty without a challenge; nil for other clients.
    package var proof: [UInt8]?

    package init(versions: ProtocolVersionRange, sessionID: [UInt8], key: CertificateChainKey, proof: [UInt8]? = nil) {
        self.versions = versions
        self.sessionID = sessionID
        self.key = key
        self.proof = proof
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(versions)
        writer.writeShortBytes(sessionID)
        writer.writeValue(key)
        if let proof { writer.writeShortBytes(proof) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        versions = try reader.readValue()
        sessionID = try reader.readShortBytes()
        key = try reader.readValue()
        var rest = reader
        if !rest.isAtEnd, let proof = try? rest.readShortBytes() { (self.proof, reader) = (proof, rest) }
    }
}

/// The client's request after ``XFTPServerHello``. The answer has no body.
package struct XFTPClientHello: Hashable, Sendable, SMPCodable {
    /// The version chosen by the client.
    package var version: XFTPVersion
    /// The fingerprint of the server that the client expects.
    package var keyHash: [UInt8]

    package init(version: XFTPVersion, keyHash: [UInt8]) {
        self.version = version
        self.keyHash = keyHash
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(version)
        writer.writeShortBytes(keyHash)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        version = try reader.readValue()
        keyHash = try reader.readShortBytes()
    }
}
