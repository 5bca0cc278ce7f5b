package import SimpleXCrypto

/// The certificate, with its key, that a client shows to a server that requests one.
package struct ClientIdentity: Sendable {
    /// The certificates in DER, leaf first.
    package let certificates: [[UInt8]]
    /// The private key of the leaf certificate.
    package let leafKey: SignaturePrivateKey

    package init(certificates: [[UInt8]], leafKey: SignaturePrivateKey) {
        self.certificates = certificates
        self.leafKey = leafKey
    }
}
