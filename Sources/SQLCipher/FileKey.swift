import CSQLCipher
import Files
import SimpleXCrypto

/// The key and the format of an encrypted file.
struct FileKey: Sendable {
    let material: KeyMaterial
    /// Whether the connection uses the setting for files in the format of SQLCipher 3 (SQLCipher API,
    /// `cipher_compatibility`). Later versions of the library need the setting for such files; SQLCipher 3 ignores it.
    var usesSQLCipher3 = false

    /// Returns the key of the file at `path` in its derived form. With this form, SQLCipher does not derive the key
    /// again for each connection. If the salt of the file cannot be read, returns this key unchanged.
    func deriveKey(for path: String) -> FileKey {
        guard material.isEncrypting, let salt = DiskFiles.readPrefix(of: path, count: PageCipher.saltSize) else {
            return self
        }
        let version: PageCipher.Version = usesSQLCipher3 || Self.isLibrarySQLCipher3 ? .sqlCipher3 : .sqlCipher4
        guard let derived = try? material.deriveFileKey(version, salt: salt) else { return self }
        return FileKey(material: derived, usesSQLCipher3: usesSQLCipher3)
    }

    /// Whether the SQLCipher library in use has version 3. This version knows only one way to derive keys.
    private static let isLibrarySQLCipher3: Bool = {
        KeyMemory.configureOnce
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
    /// Returns the key material that opens a database with this key. A sealed key already contains its material.
    /// - Throws: `DatabaseError.invalidKey`.
    static func make(_ key: DatabaseKey) throws(DatabaseError) -> KeyMaterial {
        if case .sealed(let material) = key { return material }
        do throws(CryptoError) { return try KeyMaterial(key) } catch { throw .invalidKey }
    }
}
