import SimpleXCrypto

/// How a file is decrypted.
struct FileKey: Sendable {
    let material: KeyMaterial
    /// SQLCipher 3 made the file, and the library is a newer one, which needs a setting for it (SQLCipher API, `cipher_compatibility`).
    /// SQLCipher 3 ignores it.
    var isVersion3 = false
}

extension KeyMaterial {
    /// The material of a key: its own where it has one.
    /// - Throws: `DatabaseError.invalidKey`.
    static func of(_ key: DatabaseKey) throws(DatabaseError) -> KeyMaterial {
        if case .sealed(let material) = key { return material }
        do throws(CryptoError) { return try KeyMaterial(key) } catch { throw .invalidKey }
    }
}
