package import SimpleXCrypto

/// The keys of a session: a chain for each direction, derived from the hybrid secret of Diffie-Hellman and KEM, and the
/// keys of the controller's signatures.
package struct SessionKeys: Sendable {
    /// The keys that sign on the controller, or that verify on the host. Only the controller signs.
    package enum SigningKeys: Sendable {
        case sign(session: Ed25519.PrivateKey, identity: Ed25519.PrivateKey)
        case verify(session: Ed25519.PublicKey, identity: Ed25519.PublicKey)
    }

    let signingKeys: SigningKeys
    private var sendingChain: SecretBoxChain
    private var receivingChain: SecretBoxChain

    init(_ secret: X25519.SharedSecret, kem: SecretBytes, isController: Bool, signing: SigningKeys) throws(XRCPError) {
        guard let hybrid = try? HybridSecret.combineSecrets(secret, kem: kem) else { throw .encrypt }
        self.init(hybrid: hybrid.secretBytes, isController: isController, signing: signing)
    }

    init(hybrid: SecretBytes, isController: Bool, signing: SigningKeys) {
        let (first, second) = SecretBoxChain.makePair(salt: [], secret: hybrid)
        (sendingChain, receivingChain) = isController ? (first, second) : (second, first)
        self.signingKeys = signing
    }

    mutating func takeNextSendingKey() throws(XRCPError) -> (key: SymmetricKey, nonce: BoxNonce) {
        do { return try sendingChain.takeNextKey() } catch { throw .encrypt }
    }

    mutating func takeNextReceivingKey() throws(XRCPError) -> (key: SymmetricKey, nonce: BoxNonce) {
        do { return try receivingChain.takeNextKey() } catch { throw .decrypt }
    }
}

/// The key and the nonce that encrypt one message body, or the file that follows the body.
package struct SealingKey: Sendable {
    let key: SymmetricKey
    let nonce: BoxNonce
}
