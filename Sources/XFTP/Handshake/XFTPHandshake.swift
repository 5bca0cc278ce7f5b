package import SMP
import SimpleXCrypto

/// The client's side of the handshake: a computation that neither sends nor receives.
package struct XFTPClientHandshake: Sendable {
    /// The channel binding of this TLS connection, as the client sees it.
    package var sessionID: [UInt8]
    /// The fingerprint of the server, from its address.
    package var keyHash: [UInt8]
    /// The leaf certificate (DER) that TLS has verified.
    package var leafCertificate: [UInt8]?
    package var versions: ProtocolVersionRange

    package init(
        sessionID: [UInt8],
        keyHash: [UInt8],
        leafCertificate: [UInt8]?,
        versions: ProtocolVersionRange = XFTPVersion.supported
    ) {
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.leafCertificate = leafCertificate
        self.versions = versions
    }

    /// Returns the body of the client's hello, and the parameters of the session once the server accepts the hello.
    /// `body` is the body of the server's hello.
    package func makeClientHello(
        serverHello body: [UInt8]
    ) throws(SMPTransportError) -> (body: [UInt8], session: XFTPSessionParameters) {
        var reader = ByteReader(try XFTPBlock.unpad(body))
        guard let server = try? XFTPServerHello(from: &reader) else { throw .handshake(.parse) }
        guard server.sessionID == sessionID else { throw .badSession }
        guard let agreed = server.versions.commonVersions(with: versions) else { throw .version }
        // Commands are signed, so the session key is not needed for Diffie-Hellman authorization. But the signature of
        // the session key proves that the server has sent this hello message.
        _ = try server.key.verifySessionKey(identity: keyHash, leafCertificate: leafCertificate)
        let version = XFTPVersion(agreed.max)
        guard let hello = try? XFTPClientHello(version: version, keyHash: keyHash).smpEncoded() else {
            throw .handshake(.identity)
        }
        return (try XFTPBlock.pad(hello), XFTPSessionParameters(version: version, sessionID: sessionID))
    }
}

/// The server's side of the handshake: a computation that neither sends nor receives.
package struct XFTPServerHandshake: Sendable {
    package var sessionID: [UInt8]
    /// The fingerprint of the server's own identity certificate.
    package var keyHash: [UInt8]
    package var versions: ProtocolVersionRange
    /// The server's certificates, and a session key signed with the key of the leaf certificate.
    package var certificateKey: CertificateChainKey

    package init(
        sessionID: [UInt8],
        keyHash: [UInt8],
        versions: ProtocolVersionRange = XFTPVersion.supported,
        certificateKey: CertificateChainKey
    ) {
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.versions = versions
        self.certificateKey = certificateKey
    }

    /// Returns the body of the server's hello, which answers a request without a body or the hello of a browser.
    /// - Parameter proof: for a browser, see ``XFTPServerHello/proof``.
    package func makeHello(proof: [UInt8]? = nil) throws(SMPTransportError) -> [UInt8] {
        let hello = XFTPServerHello(versions: versions, sessionID: sessionID, key: certificateKey, proof: proof)
        guard let content = try? hello.smpEncoded() else { throw .largeMsg }
        return try XFTPBlock.pad(content)
    }

    /// Checks the client's hello in the body of its next request, and returns the parameters of the session.
    package func acceptClientHello(clientHello body: [UInt8]) throws(XFTPServerError) -> XFTPSessionParameters {
        guard body.count == XFTPBlock.size, let content = try? XFTPBlock.unpad(body) else { throw .handshake }
        var reader = ByteReader(content)
        guard let client = try? XFTPClientHello(from: &reader), client.keyHash == keyHash,
            versions.contains(client.version.number)
        else {
            throw .handshake
        }
        return XFTPSessionParameters(version: client.version, sessionID: sessionID)
    }
}
