/// A public key with which an SMP relay checks commands: a signature key, or X25519 for deniable authorization
/// (`CommandAuthenticator`). simplex-messaging.md, "Cryptographic algorithms" and "Deniable client authentication
/// scheme".
package enum AuthorizationKey: Hashable, Sendable {
    case ed25519(Ed25519.PublicKey)
    case ed448(Ed448.PublicKey)
    case x25519(X25519.PublicKey)

    package init(spki: some Collection<UInt8>) throws(CryptoError) {
        switch try AnyPublicKey(spki: spki) {
        case .ed25519(let key): self = .ed25519(key)
        case .ed448(let key): self = .ed448(key)
        case .x25519(let key): self = .x25519(key)
        case .x448: throw .invalidKey
        }
    }

    package var spki: [UInt8] {
        switch self {
        case .ed25519(let key): key.spki
        case .ed448(let key): key.spki
        case .x25519(let key): key.spki
        }
    }
}

/// The private key of an ``AuthorizationKey``.
package enum AuthorizationPrivateKey: Hashable, Sendable {
    case ed25519(Ed25519.PrivateKey)
    case ed448(Ed448.PrivateKey)
    case x25519(X25519.PrivateKey)

    package init(pkcs8: some Collection<UInt8>) throws(CryptoError) {
        if let key = try? Ed25519.PrivateKey(pkcs8: pkcs8) {
            self = .ed25519(key)
        } else if let key = try? X25519.PrivateKey(pkcs8: pkcs8) {
            self = .x25519(key)
        } else {
            self = .ed448(try Ed448.PrivateKey(pkcs8: pkcs8))
        }
    }

    package var publicKey: AuthorizationKey {
        switch self {
        case .ed25519(let key): .ed25519(key.publicKey)
        case .ed448(let key): .ed448(key.publicKey)
        case .x25519(let key): .x25519(key.publicKey)
        }
    }

    package var pkcs8: [UInt8] {
        switch self {
        case .ed25519(let key): key.pkcs8
        case .ed448(let key): key.pkcs8
        case .x25519(let key): key.pkcs8
        }
    }
}
