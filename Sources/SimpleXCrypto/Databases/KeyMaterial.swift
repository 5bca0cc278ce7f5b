import CSodium
import Synchronization

/// The key of a database in the form for SQLCipher. This object keeps the key while a database is open, since the
/// readers of the database connect later, at their first use. The bytes are overwritten when the object is released or
/// erased.
package final class KeyMaterial: Sendable {
    /// The bytes of the key, and the keys that were derived from it. Threads can share this value, since it is used
    /// only under the mutex.
    private struct Bytes: @unchecked Sendable {
        let buffer: UnsafeMutableRawBufferPointer
        /// The keys that were derived from the passphrase, the newest last.
        var derivedKeys: [DerivedKey] = []
    }
    private struct DerivedKey {
        let version: PageCipher.Version
        let salt: [UInt8]
        let material: KeyMaterial
    }
    private let keyBytes: Mutex<Bytes>

    /// Whether the key encrypts: false for a file without encryption.
    package let isEncrypting: Bool

    /// Converts a key to the form for SQLCipher. A raw key becomes `x'…'` in hexadecimal (SQLCipher API, "Raw Key
    /// Data"). SQLCipher would treat a raw key of another length as a passphrase, so this initializer refuses such a
    /// key.
    /// - Throws: `CryptoError.invalidKey`.
    package init(_ key: DatabaseKey) throws(CryptoError) {
        let bytes: UnsafeMutableRawBufferPointer
        switch key {
        case .none:
            bytes = .allocate(byteCount: 0, alignment: 1)
        case .passphrase(let text):
            guard !text.isEmpty else { throw .invalidKey }
            bytes = .allocate(byteCount: text.utf8.count, alignment: 1)
            bytes.copyBytes(from: text.utf8)
        case .raw(let raw):
            guard raw.count == 32 else { throw .invalidKey }
            bytes = .allocate(byteCount: Self.rawKeyFormSize(of: raw.count), alignment: 1)
            Self.writeRaw(raw, to: bytes)
        case .sealed(let other):
            bytes =
                other.withSQLCipherForm { source in
                    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
                    copy.copyMemory(from: source)
                    return Bytes(buffer: copy)
                }.buffer
        }
        isEncrypting = !bytes.isEmpty
        keyBytes = Mutex(Bytes(buffer: bytes))
    }

    /// Makes a random key of 32 bytes. No other memory contains the key.
    package static func random() -> KeyMaterial { KeyMaterial(raw: .random(count: 32)) }

    private convenience init(raw: SecretBytes) {
        let form = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.rawKeyFormSize(of: raw.count), alignment: 1)
        defer {
            if let start = form.baseAddress { sodium_memzero(start, form.count) }
            form.deallocate()
        }
        raw.withBytes { Self.writeRaw($0, to: form) }
        self.init(sqlCipherForm: UnsafeRawBufferPointer(form))
    }

    /// Returns the size of a raw key with `count` bytes in the form for SQLCipher: `x'`, two hexadecimal digits for
    /// each byte, and `'`.
    private static func rawKeyFormSize(of count: Int) -> Int { 3 + 2 * count }

    private static func writeRaw(_ key: some Sequence<UInt8>, to form: UnsafeMutableRawBufferPointer) {
        form[0] = UInt8(ascii: "x")
        form[1] = UInt8(ascii: "'")
        for (index, byte) in key.enumerated() {
            form[2 + 2 * index] = hexDigit(byte >> 4)
            form[3 + 2 * index] = hexDigit(byte & 15)
        }
        form[form.count - 1] = UInt8(ascii: "'")
    }

    /// Makes a key from bytes in the form for SQLCipher: a passphrase, or `x'…'`. The bytes are copied.
    package init(sqlCipherForm form: UnsafeRawBufferPointer) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: form.count, alignment: 1)
        bytes.copyMemory(from: form)
        isEncrypting = !bytes.isEmpty
        keyBytes = Mutex(Bytes(buffer: bytes))
    }

    /// Makes a key from a text: 64 hexadecimal digits are a raw key, any other text is a passphrase, and an empty text
    /// is no key.
    package convenience init(text: UnsafeRawBufferPointer) {
        let isHexadecimal = text.allSatisfy { (48...57).contains($0) || (65...70).contains($0 & 0xDF) }
        guard text.count == 64, isHexadecimal else {
            self.init(sqlCipherForm: text)
            return
        }
        let form = UnsafeMutableRawBufferPointer.allocate(byteCount: 67, alignment: 1)
        defer {
            if let start = form.baseAddress { sodium_memzero(start, form.count) }
            form.deallocate()
        }
        form[0] = UInt8(ascii: "x")
        form[1] = UInt8(ascii: "'")
        for (index, byte) in text.enumerated() { form[2 + index] = byte < 58 ? byte : byte | 0x20 }
        form[66] = UInt8(ascii: "'")
        self.init(sqlCipherForm: UnsafeRawBufferPointer(form))
    }

    /// Calls `body` with the key in the form for SQLCipher: a passphrase, or `x'…'`.
    package func withSQLCipherForm<T: Sendable>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        keyBytes.withLock { body(UnsafeRawBufferPointer($0.buffer)) }
    }

    deinit {
        eraseBytes()
        keyBytes.withLock { $0.buffer.deallocate() }
    }

    /// Overwrites the bytes of the key and of derived keys. The key can no longer open any file.
    package func eraseBytes() {
        keyBytes.withLock { bytes in
            // The compiler may remove a call of `memset`, but not this call.
            if let start = bytes.buffer.baseAddress { sodium_memzero(start, bytes.buffer.count) }
            for derived in bytes.derivedKeys { derived.material.eraseBytes() }
            bytes.derivedKeys.removeAll()
        }
    }

    /// Number of derived keys that are kept. A store has two files, and a change of the key needs two keys for each
    /// file.
    static let maxDerivedKeys = 4

    /// Returns the raw key of one file, with its salt. For a passphrase the raw key is derived once, and then kept.
    /// SQLCipher would derive the raw key for each connection, which takes 20 to 100 ms. A raw key is returned
    /// unchanged.
    /// - Parameter salt: the first 16 bytes of the file.
    /// - Throws: `CryptoError` if OpenSSL cannot derive the key, or if the passphrase was erased.
    package func deriveFileKey(_ version: PageCipher.Version, salt: [UInt8]) throws(CryptoError) -> KeyMaterial {
        try keyBytes.withLock { bytes throws(CryptoError) in
            guard !Self.isRaw(bytes.buffer) else { return self }
            if let known = bytes.derivedKeys.first(where: { $0.version == version && $0.salt == salt }) {
                return known.material
            }
            guard bytes.buffer.contains(where: { $0 != 0 }) else { throw .invalidKey }
            let passphrase = SecretBytes(bytes.buffer)
            let key = try PageCipher.deriveKey(version, passphrase: passphrase, salt: salt)
            let material = KeyMaterial(raw: .concatenating(key, SecretBytes(salt)))
            if bytes.derivedKeys.count == Self.maxDerivedKeys { bytes.derivedKeys.removeFirst() }
            bytes.derivedKeys.append(DerivedKey(version: version, salt: salt, material: material))
            return material
        }
    }

    /// Returns whether SQLCipher treats the bytes in `form` as a raw key, with or without a salt.
    private static func isRaw(_ form: UnsafeMutableRawBufferPointer) -> Bool {
        guard form.count == rawKeyFormSize(of: 32) || form.count == rawKeyFormSize(of: 32 + PageCipher.saltSize) else {
            return false
        }
        let isHexadecimal = form[2..<form.count - 1].allSatisfy {
            (48...57).contains($0) || (65...70).contains($0 & 0xDF)
        }
        return form[0] | 0x20 == UInt8(ascii: "x") && form[1] == UInt8(ascii: "'")
            && form[form.count - 1] == UInt8(ascii: "'") && isHexadecimal
    }

    /// Returns whether two keys are equal, in a time that depends only on their lengths.
    package func isSame(as other: KeyMaterial) -> Bool {
        if self === other { return true }
        return withSQLCipherForm { mine in
            other.withSQLCipherForm { theirs in
                constantTimeEquals(mine.assumingMemoryBound(to: UInt8.self), theirs.assumingMemoryBound(to: UInt8.self))
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }
}
