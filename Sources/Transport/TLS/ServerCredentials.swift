package import SimpleXCrypto

/// The identity of a server: a certificate authority, whose key can stay offline, and a leaf certificate that the
/// authority has signed. The server's address contains the fingerprint of the authority. TLS uses the leaf.
///
/// simplexmq `protocol/simplex-messaging.md`, "Appendix A".
package struct ServerCredentials: Sendable {
    /// The certificates in DER: the leaf, then the CA.
    package let certificates: [[UInt8]]
    /// The private key of the leaf. It also signs session keys.
    package let leafKey: SignaturePrivateKey
    /// SHA-256 of the CA certificate, 32 bytes, which is the key hash in the server's address.
    package let fingerprint: [UInt8]

    /// Makes an identity from its certificates and the key of the leaf. Throws ``TLSError/configuration(_:)`` when the
    /// key does not belong to the leaf, and other errors when the certificates are not a valid chain of two.
    package init(leaf: [UInt8], authority: [UInt8], leafKey: SignaturePrivateKey) throws(TLSError) {
        certificates = [leaf, authority]
        self.leafKey = leafKey
        fingerprint = Digest.sha256(authority)
        try PeerIdentity.verifyChain(certificates, fingerprint: fingerprint)
        let key = try SigningKey(leafKey)
        guard Certificate(der: leaf)?.certifiesKey(key) == true else {
            throw .configuration("server key and certificate differ")
        }
    }

    /// Makes a certificate authority (CA) and a leaf certificate with new keys. The CA's key is only needed to certify
    /// another leaf.
    /// - Parameters:
    ///   - commonName: the common name of the leaf, which clients ignore.
    ///   - validity: the validity in days from now; by default practically unlimited.
    package static func generateCredentials(
        algorithm: SignatureAlgorithm = .ed448,
        commonName: String = "127.0.0.1",
        validity: Range<Int32>? = nil
    ) throws(TLSError) -> (credentials: ServerCredentials, authorityKey: SignaturePrivateKey) {
        let (authorityKey, leafKey) = (try makeKey(algorithm), try makeKey(algorithm))
        let authority = try CertificateBuilder(
            subject: [("CN", "SMP server CA"), ("O", "SimpleX")],
            key: authorityKey,
            extensions: [
                (.subjectKeyIdentifier, "hash"), (.authorityKeyIdentifier, "keyid:always"),
                (.basicConstraints, "critical,CA:TRUE"),
            ],
            validity: validity ?? CertificateBuilder.defaultValidityDays
        ).makeCertificate(by: authorityKey, issuer: nil)
        let leaf = try CertificateBuilder(
            subject: [("CN", commonName)],
            key: leafKey,
            extensions: [
                (.basicConstraints, "CA:FALSE"),
                (.keyUsage, "digitalSignature,nonRepudiation,keyAgreement"),
                (.extendedKeyUsage, "serverAuth"),
            ],
            validity: validity ?? CertificateBuilder.defaultValidityDays
        ).makeCertificate(by: authorityKey, issuer: authority)
        return (try ServerCredentials(leaf: leaf, authority: authority, leafKey: leafKey), authorityKey)
    }

    private static func makeKey(_ algorithm: SignatureAlgorithm) throws(TLSError) -> SignaturePrivateKey {
        do {
            return switch algorithm {
            case .ed25519: .ed25519(try Ed25519.PrivateKey())
            case .ed448: .ed448(try Ed448.PrivateKey())
            }
        } catch {
            throw .configuration("\(error)")
        }
    }
}
