/// A public key of any of the four types. Its SPKI tells the type.
package enum AnyPublicKey: Hashable, Sendable {
    case x25519(X25519.PublicKey)
    case x448(X448.PublicKey)
    case ed25519(Ed25519.PublicKey)
    case ed448(Ed448.PublicKey)

    package init(spki: some Collection<UInt8>) throws(CryptoError) {
        if X25519.form.isSPKI(spki) {
            self = .x25519(try X25519.PublicKey(spki: spki))
        } else if X448.form.isSPKI(spki) {
            self = .x448(try X448.PublicKey(spki: spki))
        } else if Ed25519.form.isSPKI(spki) {
            self = .ed25519(try Ed25519.PublicKey(spki: spki))
        } else if Ed448.form.isSPKI(spki) {
            self = .ed448(try Ed448.PublicKey(spki: spki))
        } else {
            throw .invalidKey
        }
    }

    package var spki: [UInt8] {
        switch self {
        case .x25519(let key): key.spki
        case .x448(let key): key.spki
        case .ed25519(let key): key.spki
        case .ed448(let key): key.spki
        }
    }
}
