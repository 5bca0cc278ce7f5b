public import SimpleXCrypto
import Synchronization

/// The secrets of a relay's session key and of the keys that have authorized commands of this session. They are kept,
/// because the derivation of one takes longer than the encryption of a block.
public final class SessionSecrets: Sendable {
    /// By the hash of the client's key, which costs less than its public key.
    private let known = Mutex<[[UInt8]: X25519.SharedSecret]>([:])
    private static let maxCount = 64

    public init() {}

    /// The secret of a client's key and the relay's, which is the same for the whole session.
    public func secret(
        of key: X25519.PrivateKey,
        with serverKey: X25519.PublicKey
    ) throws(CryptoError) -> X25519.SharedSecret {
        let id = Digest.sha256(key.rawRepresentation)
        if let secret = known.withLock({ $0[id] }) { return secret }
        let secret = try key.sharedSecret(with: serverKey)
        known.withLock { known in
            if known.count >= Self.maxCount { known.removeAll() }
            known[id] = secret
        }
        return secret
    }
}
