package import SimpleXCrypto
package import Transport

/// The long-term certificate of a client that is a service (from SMP version 16). The client shows the certificate in
/// TLS, and signs a key for each session with it.
///
/// The protocol document does not describe this certificate. The code follows the test vectors (handshake: services).
package struct ServiceCredentials: Sendable {
    package var role: ClientHello.Service.Role
    /// The certificates in DER, leaf first: one self-signed certificate, or a chain of two to four.
    package let certificates: [[UInt8]]
    /// The private key of the leaf certificate.
    package let leafKey: SignaturePrivateKey

    /// Makes the credentials. Throws ``TLSError/configuration(_:)`` when the key does not belong to the leaf
    /// certificate.
    package init(role: ClientHello.Service.Role, certificates: [[UInt8]], leafKey: SignaturePrivateKey) throws(TLSError)
    {
        guard let leaf = certificates.first, let certified = try? SignaturePublicKey(certificate: leaf),
            certified == leafKey.publicKey
        else { throw .configuration("service key and certificate differ") }
        self.role = role
        self.certificates = certificates
        self.leafKey = leafKey
    }

    /// Makes a self-signed certificate that is valid for 999,999 days from now.
    package static func generate(role: ClientHello.Service.Role) throws(TLSError) -> ServiceCredentials {
        guard let key = try? Ed25519.PrivateKey() else { throw .configuration("key") }
        let certificate = try CertificateBuilder(
            subject: [("CN", "simplex service")],
            key: .ed25519(key),
            extensions: [
                (.subjectKeyIdentifier, "hash"), (.basicConstraints, "critical,CA:TRUE"),
                (.keyUsage, "digitalSignature,keyCertSign"),
            ]
        ).makeCertificate(by: .ed25519(key), issuer: nil)
        return try ServiceCredentials(role: role, certificates: [certificate], leafKey: .ed25519(key))
    }

    /// The identity that the client shows in TLS.
    var identity: ClientIdentity { ClientIdentity(certificates: certificates, leafKey: leafKey) }

    /// SHA-256 of the identity certificate: the second certificate of the chain, or its only certificate.
    package var certificateHash: [UInt8] { Self.certificateHash(of: certificates) ?? [] }

    static func certificateHash(of certificates: [[UInt8]]) -> [UInt8]? {
        switch certificates.count {
        case 1: Digest.sha256(certificates[0])
        case 2...4: Digest.sha256(certificates[1])
        default: nil
        }
    }
}

/// The relay's view of a service in one session: the role, the certificate and the session key of the service.
package struct PeerService: Hashable, Sendable {
    package var role: ClientHello.Service.Role
    /// SHA-256 of the identity certificate, 32 bytes.
    package var certificateHash: [UInt8]
    /// The key of this session, signed with the key of the certificate.
    package var key: Ed25519.PublicKey
}

/// The service's own data of one session with a relay: its id, role, certificate and session key.
package struct ServiceSession: Sendable {
    /// The id that the relay has assigned to the certificate. It is the same in every session.
    package var id: [UInt8]
    package var role: ClientHello.Service.Role
    package var certificateHash: [UInt8]
    package var key: Ed25519.PrivateKey
}

extension ClientCommand {
    /// Whether a service signs the command in addition to the authorization by the key of the queue.
    package var isServiceAuthorized: Bool {
        switch self {
        case .new, .sub, .nsub: true
        default: false
        }
    }

    /// The role that a service must have for the command; nil if any role is allowed.
    package var serviceRole: ClientHello.Service.Role? {
        switch self {
        case .ping: nil
        case .nsub, .nsubs: .notifier
        case .rfwd: .proxy
        default: .messaging
        }
    }
}
