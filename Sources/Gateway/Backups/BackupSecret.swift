package import SimpleXCrypto

/// The secret by which a backup is encrypted.
package enum BackupSecret: Sendable {
    case passphrase(SecretBytes)
    /// A key of 32 random bytes.
    case key(SymmetricKey)

    /// - Parameter text: 64 hexadecimal digits are a key. Any other text is a passphrase.
    package init(_ text: SecretBytes) {
        let key = text.count == 64 ? text.withBytes { Hex.decode($0) } : nil
        if let key, let made = try? SymmetricKey(rawRepresentation: key) {
            self = .key(made)
        } else {
            self = .passphrase(text)
        }
    }

    /// The number in the header of a backup that says how the key is derived: 1 from a passphrase, 2 from a key.
    var derivationCode: UInt8 {
        switch self {
        case .passphrase: 1
        case .key: 2
        }
    }

    /// Derives the key that encrypts one backup.
    func deriveKey(salt: [UInt8], cost: PasswordCost) throws(CryptoError) -> SymmetricKey {
        switch self {
        case .passphrase(let text): try PasswordKey.deriveKey(text, salt: salt, cost: cost)
        case .key(let key):
            try SymmetricKey(
                HKDF.sha512(
                    salt: salt,
                    ikm: key.secretBytes,
                    info: Array("simplex-gateway backup".utf8),
                    count: SymmetricKey.size
                )
            )
        }
    }
}
