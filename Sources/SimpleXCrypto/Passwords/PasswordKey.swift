import CSodium

/// The cost of trying a password, for Argon2id (RFC 9106) with one lane.
package struct PasswordCost: Sendable, Hashable {
    /// Number of passes over the memory.
    package var passCount: UInt64
    /// Number of bytes of memory.
    package var memoryBytes: Int

    /// The default cost: 64 MiB of memory, and a fraction of a second.
    package static let standard = PasswordCost(operations: 3, memory: 64 << 20)
    /// The smallest cost that the library allows, for tests.
    package static let least = PasswordCost(operations: 1, memory: 8 << 10)

    package init(operations: UInt64, memory: Int) {
        self.passCount = operations
        self.memoryBytes = memory
    }
}

/// Keys that are derived from passwords.
package enum PasswordKey {
    package static let saltSize = 16

    /// Derives the key of a password with Argon2id. Uses the time and memory of `cost`, on the caller's thread.
    /// - Throws: `CryptoError.invalidLength` for a salt that is not 16 bytes long, `CryptoError.libraryFailure` for a
    ///   cost that the library does not allow, or when there is not enough memory.
    package static func deriveKey(
        _ password: SecretBytes,
        salt: [UInt8],
        cost: PasswordCost
    ) throws(CryptoError) -> SymmetricKey {
        Sodium.prepare()
        guard salt.count == saltSize else { throw .invalidLength(of: "salt", expected: saltSize, actual: salt.count) }
        var code: Int32 = -1
        let key = SecretBytes(count: SymmetricKey.size) { out in
            guard let key = out.baseAddress else { return }
            password.withPointer { start in
                // The type of the pointer is changed, because libsodium has signed bytes as the type of the password.
                start.withMemoryRebound(to: CChar.self, capacity: password.count) { text in
                    code = crypto_pwhash(
                        key,
                        UInt64(out.count),
                        text,
                        UInt64(password.count),
                        salt,
                        cost.passCount,
                        max(0, cost.memoryBytes),
                        crypto_pwhash_ALG_ARGON2ID13
                    )
                }
            }
        }
        guard code == 0 else { throw .libraryFailure("crypto_pwhash") }
        return try SymmetricKey(key)
    }
}
