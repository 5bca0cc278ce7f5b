/// The algorithms of signatures. Only the length of a signature tells its algorithm.
package enum SignatureAlgorithm: Hashable, Sendable, CaseIterable {
    case ed25519, ed448

    /// Number of bytes of a signature: 64 or 114.
    package var signatureSize: Int {
        switch self {
        case .ed25519: Ed25519.signatureSize
        case .ed448: Ed448.signatureSize
        }
    }

    /// Finds the algorithm whose signatures have this number of bytes; nil when there is none.
    package init?(signatureSize: Int) {
        guard let found = Self.allCases.first(where: { $0.signatureSize == signatureSize }) else { return nil }
        self = found
    }
}

/// A key that verifies signatures.
package enum SignaturePublicKey: Hashable, Sendable {
    case ed25519(Ed25519.PublicKey)
    case ed448(Ed448.PublicKey)

    package init(spki: some Collection<UInt8>) throws(CryptoError) {
        switch try AnyPublicKey(spki: spki) {
        case .ed25519(let key): self = .ed25519(key)
        case .ed448(let key): self = .ed448(key)
        case .x25519, .x448: throw .invalidKey
        }
    }

    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch self {
        case .ed25519(let key): key.isValidSignature(signature, for: message)
        case .ed448(let key): key.isValidSignature(signature, for: message)
        }
    }
}

/// A key that signs.
package enum SignaturePrivateKey: Hashable, Sendable {
    case ed25519(Ed25519.PrivateKey)
    case ed448(Ed448.PrivateKey)

    package init(pkcs8: some Collection<UInt8>) throws(CryptoError) {
        if let key = try? Ed25519.PrivateKey(pkcs8: pkcs8) {
            self = .ed25519(key)
        } else {
            self = .ed448(try Ed448.PrivateKey(pkcs8: pkcs8))
        }
    }

    package var publicKey: SignaturePublicKey {
        switch self {
        case .ed25519(let key): .ed25519(key.publicKey)
        case .ed448(let key): .ed448(key.publicKey)
        }
    }

    package var pkcs8: [UInt8] {
        switch self {
        case .ed25519(let key): key.pkcs8
        case .ed448(let key): key.pkcs8
        }
    }

    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ed25519(let key): try key.sign(message)
        case .ed448(let key): try key.sign(message)
        }
    }
}
