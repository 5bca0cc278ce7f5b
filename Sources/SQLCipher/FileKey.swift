import CSQLCipher
import Files
import SimpleXCrypto

/// The key and the format with which a file is decrypted.
struct FileKey: Sendable {
    let material: KeyMaterial
    /// Whether the connection uses the setting for files in the format of SQLCipher 3 (SQLCipher API,
    /// `cipher_compatibility`). A later library needs it for them; SQLCipher 3 ignores the setting.
    var isVersion3 = false

    /// The key after its derivation for the file, so that connections need no derivation. Without a readable salt,
    /// the key itself.
    func derived(for path: String) -> FileKey {
        guard material.isEncrypting, let salt = DiskFiles.prefix(of: path, count: PageCipher.saltSize) else {
            return self
        }
        let version: PageCipher.Version = isVersion3 || Self.libraryIsVersion3 ? .three : .four
        guard let derived = try? material.derived(version, salt: salt) else { return self }
        return FileKey(material: derived, isVersion3: isVersion3)
    }

    /// Whether the library is SQLCipher 3, which derives keys in one way only.
    private static let libraryIsVersion3: Bool = {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            let handle
        else { return false }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW,
            let text = sqlite3_column_text(statement, 0)
        else { return false }
        return String(cString: text).hasPrefix("3.")
    }()
}

extension KeyMaterial {
    /// The material of a key; a sealed key already contains it.
    /// - Throws: `DatabaseError.invalidKey`.
    static func of(_ key: DatabaseKey) throws(DatabaseError) -> KeyMaterial {
        if case .sealed(let material) = key { return material }
        do throws(CryptoError) { return try KeyMaterial(key) } catch { throw .invalidKey }
    }
}
