package import SimpleXCrypto

/// Result of a handshake, on which both sides of a session have agreed.
package struct HandshakeResult: Sendable {
    package var session: SessionParameters
    /// The versions that client and relay support. The session uses the highest of these versions.
    package var versions: ProtocolVersionRange
    /// The cipher that seals and opens the blocks after the handshake.
    package var blockCipher: BlockCipher
    /// For a client: the relay's session key, for authorization of commands by X25519 keys.
    package var serverKey: X25519.PublicKey?
    /// For a client: the versions that the relay offers. A proxy tells its clients the versions that are also in
    /// ``SupportedVersions/proxiedRelay``.
    package var serverVersions: ProtocolVersionRange?
    /// For a client: the certificates of the relay, and its session key, which the leaf certificate signs. A proxy
    /// passes both to its clients.
    package var certificateKey: CertificateChainKey?
    /// The Diffie-Hellman secret from the session keys of client and relay, with which a proxy encrypts forwarded
    /// commands; nil when one side has no session key.
    package var sessionSecret: X25519.SharedSecret?
    /// For a relay: the client's identity, if the client is a service.
    package var peerService: PeerService?
}

/// The client's side of the handshake. It neither sends nor receives: the caller passes the content of the relay's
/// first block, and sends the client's hello.
package struct ClientHandshake: Sendable {
    /// The channel binding of this TLS connection, as the client sees it.
    package var sessionID: [UInt8]
    /// The fingerprint in the relay's address.
    package var keyHash: [UInt8]
    /// The leaf certificate (DER) that TLS has verified. Nil selects the first certificate in the relay's hello.
    package var leafCertificate: [UInt8]?
    package var versions: ProtocolVersionRange
    /// A new key for this session.
    package var key: X25519.PrivateKey
    package var isProxy = false
    /// For a client that is a service: the certificate that it shows in TLS, and a new key for this session.
    package var serviceIdentity: (credentials: ServiceCredentials, key: Ed25519.PrivateKey)?

    package init(
        sessionID: [UInt8],
        keyHash: [UInt8],
        leafCertificate: [UInt8]?,
        versions: ProtocolVersionRange = SupportedVersions.client,
        key: X25519.PrivateKey
    ) {
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.leafCertificate = leafCertificate
        self.versions = versions
        self.key = key
    }

    /// Returns the client's hello (not padded), and the parameters of the session. If the hello names a service, the
    /// relay sends another answer, see ``ServiceHandshakeResponse``.
    package func makeClientHello(
        serverHello content: [UInt8]
    ) throws(SMPTransportError) -> (hello: ClientHello, result: HandshakeResult) {
        var reader = ByteReader(content)
        guard let server = try? ServerHello(from: &reader) else { throw .handshake(.parse) }
        guard server.sessionID == sessionID else { throw .badSession }
        var offered = versions
        // Relays before version 14 do not know that a proxy's blocks are not encrypted, so a proxy speaks version 10 to
        // them.
        if isProxy, server.versions.max < SMPVersion.firstWithProxyServerHandshake.number,
            let capped = ProtocolVersionRange(
                min: versions.min,
                max: max(versions.min, min(versions.max, SMPVersion.firstWithDeletedEvent.number))
            )
        {
            offered = capped
        }
        guard let agreed = server.versions.commonVersions(with: offered) else { throw .version }
        let version = SMPVersion(agreed.max)
        let serverKey = try server.key.map { key throws(SMPTransportError) in
            try key.verifySessionKey(identity: keyHash, leafCertificate: leafCertificate)
        }
        if serverKey == nil, version >= .firstWithAuthorizedCommands { throw .noServerAuth }
        let session = SessionParameters(version: version, sessionID: sessionID)
        let blocks = try BlockCipher(
            session: session,
            ownKey: key,
            peerKey: serverKey,
            isProxy: isProxy,
            side: .client
        )
        let hello = ClientHello(
            version: version,
            keyHash: keyHash,
            key: key.publicKey,
            isProxy: isProxy,
            service: try makeServiceHello(version)
        )
        let secret =
            version >= .firstWithAuthorizedCommands ? serverKey.flatMap { try? key.sharedSecret(with: $0) } : nil
        return (
            hello,
            HandshakeResult(
                session: session,
                versions: agreed,
                blockCipher: blocks,
                serverKey: serverKey,
                serverVersions: server.versions,
                certificateKey: server.key,
                sessionSecret: secret
            )
        )
    }

    private func makeServiceHello(_ version: SMPVersion) throws(SMPTransportError) -> ClientHello.Service? {
        guard version >= .firstWithServiceCertificates, let serviceIdentity else { return nil }
        guard
            let signed = try? SignedSessionKey(
                spki: serviceIdentity.key.publicKey.spki,
                signedWith: serviceIdentity.credentials.leafKey
            )
        else {
            throw .handshake(.badService)
        }
        return ClientHello.Service(
            role: serviceIdentity.credentials.role,
            key: CertificateChainKey(certificates: serviceIdentity.credentials.certificates, signedKey: signed)
        )
    }
}

/// The relay's side of the handshake. It neither sends nor receives: the caller passes the client's messages, and sends
/// the answers.
package struct ServerHandshake: Sendable {
    package var sessionID: [UInt8]
    /// The fingerprint of the relay's own identity certificate.
    package var keyHash: [UInt8]
    package var versions: ProtocolVersionRange
    /// The certificates, and the public part of `key`, signed by the leaf. One key may serve all sessions of a process.
    package var certificateKey: CertificateChainKey
    package var key: X25519.PrivateKey

    package init(
        sessionID: [UInt8],
        keyHash: [UInt8],
        versions: ProtocolVersionRange = SupportedVersions.relay,
        certificateKey: CertificateChainKey,
        key: X25519.PrivateKey
    ) {
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.versions = versions
        self.certificateKey = certificateKey
        self.key = key
    }

    /// The relay's first message.
    package var hello: ServerHello {
        ServerHello(versions: versions, sessionID: sessionID, key: certificateKey)
    }

    /// Returns the parameters of the session, from the content of the client's first block.
    ///
    /// - Parameter peerCertificates: the chain (DER, leaf first) that the client presented in TLS. If the hello of a
    ///   service names another certificate, or the certificate has not signed the service's key, this function throws
    ///   `HANDSHAKE BAD_AUTH`. The caller sends this error to the service.
    package func acceptClientHello(
        clientHello content: [UInt8],
        peerCertificates: [[UInt8]] = []
    ) throws(SMPTransportError) -> HandshakeResult {
        var reader = ByteReader(content)
        guard let client = try? ClientHello(from: &reader) else { throw .handshake(.parse) }
        guard client.keyHash == keyHash else { throw .handshake(.identity) }
        guard versions.contains(client.version),
            let agreed = ProtocolVersionRange(min: versions.min, max: client.version.number)
        else { throw .version }
        let session = SessionParameters(version: client.version, sessionID: sessionID)
        let blocks = try BlockCipher(
            session: session,
            ownKey: key,
            peerKey: client.key,
            isProxy: client.isProxy,
            side: .relay
        )
        let service = try client.service.map { service throws(SMPTransportError) in
            try service.verifyPeerService(shown: peerCertificates)
        }
        return HandshakeResult(
            session: session,
            versions: agreed,
            blockCipher: blocks,
            serverKey: nil,
            sessionSecret: client.key.flatMap { try? key.sharedSecret(with: $0) },
            peerService: service
        )
    }
}

extension ClientHello.Service {
    fileprivate func verifyPeerService(shown certificates: [[UInt8]]) throws(SMPTransportError) -> PeerService {
        guard key.certificates == certificates, let leaf = certificates.first,
            let hash = ServiceCredentials.certificateHash(of: certificates),
            let signer = try? SignaturePublicKey(certificate: leaf),
            signer.isValidSignature(key.signedKey.signature, for: key.signedKey.signedBytes),
            let sessionKey = try? Ed25519.PublicKey(spki: key.signedKey.spki)
        else { throw .handshake(.badAuth) }
        return PeerService(role: role, certificateHash: hash, key: sessionKey)
    }
}
