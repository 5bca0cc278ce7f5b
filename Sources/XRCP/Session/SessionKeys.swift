package import SimpleXCrypto

/// The keys of a session: a chain for each direction, derived from the hybrid secret of Diffie-Hellman and KEM, and the
/// keys of the controller's signatures.
package struct SessionKeys: Sendable {
    /// The keys that sign on the controller, or that verify on the host. Only the controller signs.
    package enum Signing: Sendable {
        case sign(session: Ed25519.PrivateKey, identity: Ed25519.PrivateKey)
        case verify(session: Ed25519.PublicKey, identity: Ed25519.PublicKey)
    }

    let signing: Signing
    private var sent: SecretBoxChain
    private var received: SecretBoxChain

    init(_ secret: X25519.SharedSecret, kem: SecretBytes, isController: Bool, signing: Signing) throws(XRCPError) {
        guard let hybrid = try? HybridSecret.combine(secret, kem: kem) else { throw .encrypt }
        self.init(hybrid: hybrid.secretBytes, isController: isController, signing: signing)
    }

    init(hybrid: SecretBytes, isController: Bool, signing: Signing) {
        let (first, second) = SecretBoxChain.pair(salt: [], secret: hybrid)
        (sent, received) = isController ? (first, second) : (second, first)
        self.signing = signing
    }

    mutating func nextSent() throws(XRCPError) -> (key: SymmetricKey, nonce: BoxNonce) {
        do { return try sent.next() } catch { throw .encrypt }
    }

    mutating func nextReceived() throws(XRCPError) -> (key: SymmetricKey, nonce: BoxNonce) {
        do { return try received.next() } catch { throw .decrypt }
    }
}

/// The key and the nonce that encrypt one message body, or the file that follows the body.
package struct SealingKey: Sendable {
    let key: SymmetricKey
    let nonce: BoxNonce
}
