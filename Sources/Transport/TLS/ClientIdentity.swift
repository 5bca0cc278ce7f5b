public import SimpleXCrypto

/// The certificate that a client shows to a server that asks for one, and its key.
public struct ClientIdentity: Sendable {
    /// DER, leaf first.
    public let certificates: [[UInt8]]
    /// The key of the leaf.
    public let leafKey: SignaturePrivateKey

    public init(certificates: [[UInt8]], leafKey: SignaturePrivateKey) {
        self.certificates = certificates
        self.leafKey = leafKey
    }
}
