public import SimpleXCrypto

/// The certificate, with its key, that a client shows to a server that requests one.
public struct ClientIdentity: Sendable {
    /// The certificates in DER, leaf first.
    public let certificates: [[UInt8]]
    /// The private key of the leaf certificate.
    public let leafKey: SignaturePrivateKey

    public init(certificates: [[UInt8]], leafKey: SignaturePrivateKey) {
        self.certificates = certificates
        self.leafKey = leafKey
    }
}
