package import SimpleXCrypto
import Synchronization

/// A cache of Diffie-Hellman secrets. Each secret belongs to the relay's session key and a key that has authorized
/// commands of this session. The derivation of a secret takes longer than the encryption of a block.
package final class SessionSecrets: Sendable {
    /// The secrets, each under the hash of the client's private key. The hash is used instead of the client's public
    /// key, because the hash is faster to compute.
    private let secretsByKeyHash = Mutex<[[UInt8]: X25519.SharedSecret]>([:])
    private static let maxSecrets = 64

    package init() {}

    /// Returns the secret of a client's key and the relay's key. The relay's key is the same for the whole session.
    package func findOrMakeSecret(
        of key: X25519.PrivateKey,
        with serverKey: X25519.PublicKey
    ) throws(CryptoError) -> X25519.SharedSecret {
        let id = Digest.sha256(key.rawRepresentation)
        if let secret = secretsByKeyHash.withLock({ $0[id] }) { return secret }
        let secret = try key.sharedSecret(with: serverKey)
        secretsByKeyHash.withLock { known in
            if known.count >= Self.maxSecrets { known.removeAll() }
            known[id] = secret
        }
        return secret
    }
}
