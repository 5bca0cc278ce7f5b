import CSodium

/// The cost of trying a password: Argon2id (RFC 9106) with one lane.
public struct PasswordCost: Sendable, Hashable {
    /// Passes over the memory.
    public var operations: UInt64
    /// Bytes.
    public var memory: Int

    /// A part of a second, and 64 MiB.
    public static let standard = PasswordCost(operations: 3, memory: 64 << 20)
    /// The least that the library allows: for tests.
    public static let least = PasswordCost(operations: 1, memory: 8 << 10)

    public init(operations: UInt64, memory: Int) {
        self.operations = operations
        self.memory = memory
    }
}

/// Keys that are made of passwords.
public enum PasswordKey {
    public static let saltSize = 16

    /// Derives the key of a password by Argon2id. Uses the time and memory of `cost`, on the caller's thread.
    /// - Throws: `CryptoError.invalidLength` for a salt that is not 16 bytes long, `CryptoError.libraryFailure` for a
    ///   cost out of bounds, or when there is not enough memory.
    public static func derive(
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
                // The library wants text as signed bytes.
                start.withMemoryRebound(to: CChar.self, capacity: password.count) { text in
                    code = crypto_pwhash(
                        key,
                        UInt64(out.count),
                        text,
                        UInt64(password.count),
                        salt,
                        cost.operations,
                        max(0, cost.memory),
                        crypto_pwhash_ALG_ARGON2ID13
                    )
                }
            }
        }
        guard code == 0 else { throw .libraryFailure("crypto_pwhash") }
        return try SymmetricKey(key)
    }
}
