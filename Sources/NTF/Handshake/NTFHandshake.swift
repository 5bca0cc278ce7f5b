package import SMP
import SimpleXCrypto

/// The first message of a session, which the server sends. Further bytes in the block are ignored, since later versions
/// may use them.
///
/// The message has the form of a relay's first message without the certificates: simplexmq
/// `protocol/push-notifications.md`.
package struct NTFServerHello: Hashable, Sendable, SMPCodable {
    package var versions: ProtocolVersionRange
    /// The TLS channel binding, which the client compares with the channel binding of its own connection.
    package var sessionID: [UInt8]
    /// The server's key (from version 2), signed with the key of the certificate that TLS has verified.
    package var key: SignedSessionKey?

    package init(versions: ProtocolVersionRange, sessionID: [UInt8], key: SignedSessionKey?) {
        self.versions = versions
        self.sessionID = sessionID
        self.key = key
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(versions)
        writer.writeShortBytes(sessionID)
        if versions.max >= NTFVersion.firstWithAuthorizedCommands, let key { writer.writeValue(key) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        versions = try reader.readValue()
        sessionID = try reader.readShortBytes()
        key = versions.max >= NTFVersion.firstWithAuthorizedCommands ? try reader.readValue() : nil
    }
}

/// The client's answer to ``NTFServerHello``.
package struct NTFClientHello: Hashable, Sendable, SMPCodable {
    /// The version chosen by the client.
    package var version: UInt16
    /// The fingerprint of the server that the client expects.
    package var keyHash: [UInt8]

    package init(version: UInt16, keyHash: [UInt8]) {
        self.version = version
        self.keyHash = keyHash
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeWord16(version)
        writer.writeShortBytes(keyHash)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        version = try reader.readWord16()
        keyHash = try reader.readShortBytes()
    }
}

/// The client's side of the handshake: a computation that neither sends nor receives.
package struct NTFClientHandshake: Sendable {
    /// The channel binding of this TLS connection, as the client sees it.
    package var sessionID: [UInt8]
    /// The fingerprint of the server, from its address.
    package var keyHash: [UInt8]
    /// The leaf certificate (DER) that TLS has verified.
    package var leafCertificate: [UInt8]?
    package var versions = NTFVersion.supported

    package init(sessionID: [UInt8], keyHash: [UInt8], leafCertificate: [UInt8]?) {
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.leafCertificate = leafCertificate
    }

    /// Returns the client's answer to the server's hello, without padding.
    package func makeClientHello(serverHello content: [UInt8]) throws(SMPTransportError) -> NTFClientHello {
        var reader = ByteReader(content)
        guard let server = try? NTFServerHello(from: &reader) else { throw .handshake(.parse) }
        guard server.sessionID == sessionID else { throw .badSession }
        guard let agreed = server.versions.commonVersions(with: versions) else { throw .version }
        guard let leaf = leafCertificate, let signer = try? SignaturePublicKey(certificate: leaf),
            server.key?.verifiedKey(signedBy: signer) != nil
        else { throw .handshake(.badAuth) }
        return NTFClientHello(version: agreed.max, keyHash: keyHash)
    }
}
