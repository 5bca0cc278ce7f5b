import COpenSSL

/// Encrypts and decrypts the pages of a database file in the same way as SQLCipher. So this program can read and write
/// files of versions that the linked SQLCipher library does not support (SQLCipher design, "Database Encryption").
///
/// A page consists of AES-256-CBC ciphertext, the IV, and an HMAC over the ciphertext, the IV and the number of the
/// page. The first 16 bytes of the file are the salt.
package struct PageCipher: Sendable {
    package enum Version: Sendable {
        /// SQLCipher 3: SHA-1; 48 bytes of a page are reserved.
        case sqlCipher3
        /// SQLCipher 4: SHA-512; 80 bytes of a page are reserved.
        case sqlCipher4

        var digest: OpaquePointer? { self == .sqlCipher3 ? OpenSSL.sha1.pointer : OpenSSL.sha512.pointer }
        var tagSize: Int { self == .sqlCipher3 ? 20 : 64 }
        var iterationCount: Int32 { self == .sqlCipher3 ? 64_000 : 256_000 }
        package var reservedBytes: Int { self == .sqlCipher3 ? 48 : 80 }
    }

    package static let pageSize = 4096
    package static let saltSize = 16
    private static let ivSize = 16
    /// The first bytes of an unencrypted database file.
    package static let plainHeader = Array("SQLite format 3\0".utf8)

    private let version: Version
    private let salt: [UInt8]
    private let key: SecretBytes
    private let tagKey: SecretBytes

    /// Derives the key from a passphrase, which takes 20 to 100 ms.
    /// - Parameter passphrase: the passphrase of the file.
    package init(_ version: Version, passphrase: SecretBytes, salt: [UInt8]) throws(CryptoError) {
        try self.init(version, key: Self.deriveKey(version, passphrase: passphrase, salt: salt), salt: salt)
    }

    /// Returns the 32 bytes that SQLCipher derives from a passphrase and the salt of a file.
    static func deriveKey(_ version: Version, passphrase: SecretBytes, salt: [UInt8]) throws(CryptoError) -> SecretBytes
    {
        try deriveWithPBKDF2(passphrase, salt, version.iterationCount, version)
    }

    /// Makes a cipher with a key that needs no derivation.
    /// - Parameter key: the 32 bytes of the key.
    package init(_ version: Version, key: SecretBytes, salt: [UInt8]) throws(CryptoError) {
        guard salt.count == Self.saltSize else {
            throw .invalidLength(of: "salt", expected: Self.saltSize, actual: salt.count)
        }
        guard key.count == 32 else { throw .invalidKey }
        self.version = version
        self.salt = salt
        self.key = key
        tagKey = try Self.deriveWithPBKDF2(key, salt.map { $0 ^ 0x3a }, 2, version)
    }

    private static func deriveWithPBKDF2(
        _ secret: SecretBytes,
        _ salt: [UInt8],
        _ iterations: Int32,
        _ version: Version
    ) throws(CryptoError) -> SecretBytes {
        var code: Int32 = 0
        let derived = SecretBytes.filled(count: 32) { out in
            secret.withPointer { secretStart in
                secretStart.withMemoryRebound(to: CChar.self, capacity: secret.count) { text in
                    code = PKCS5_PBKDF2_HMAC(
                        text,
                        Int32(clamping: secret.count),
                        salt,
                        Int32(salt.count),
                        iterations,
                        version.digest,
                        32,
                        out
                    )
                }
            }
        }
        guard code == 1 else { throw OpenSSL.clearErrorsReturning(.libraryFailure("PKCS5_PBKDF2_HMAC")) }
        return derived
    }

    /// Decrypts a page.
    /// - Parameter number: the number of the page, from 1.
    /// - Returns: the page. Its reserved bytes are zero.
    /// - Throws: `CryptoError.authenticationFailed` for a wrong key, and for a page that was changed.
    package func decryptPage(_ page: [UInt8], number: UInt32) throws(CryptoError) -> [UInt8] {
        try page.requireCount(Self.pageSize, of: "page")
        // A page of zeros was never written, so it is not decrypted.
        if page.allSatisfy({ $0 == 0 }) { return page }
        let start = number == 1 ? Self.saltSize : 0
        let end = Self.pageSize - version.reservedBytes
        let signed = Array(page[start..<end + Self.ivSize])
        let tag = try self.makeTag(signed, number)
        let isTrue = constantTimeEquals(tag, Array(page[(end + Self.ivSize)..<(end + Self.ivSize + version.tagSize)]))
        guard isTrue else { throw .authenticationFailed }
        let plain = try applyAES(Array(page[start..<end]), iv: Array(page[end..<end + Self.ivSize]), encrypts: false)
        return (number == 1 ? Self.plainHeader : []) + plain + [UInt8](repeating: 0, count: version.reservedBytes)
    }

    package func encryptPage(_ page: [UInt8], number: UInt32) throws(CryptoError) -> [UInt8] {
        try page.requireCount(Self.pageSize, of: "page")
        let start = number == 1 ? Self.saltSize : 0
        let end = Self.pageSize - version.reservedBytes
        let iv = RandomBytes.make(count: Self.ivSize)
        let signed = try applyAES(Array(page[start..<end]), iv: iv, encrypts: true) + iv
        let tag = try self.makeTag(signed, number)
        let rest = [UInt8](repeating: 0, count: version.reservedBytes - Self.ivSize - version.tagSize)
        return (number == 1 ? salt : []) + signed + tag + rest
    }

    private func makeTag(_ signed: [UInt8], _ number: UInt32) throws(CryptoError) -> [UInt8] {
        let input = signed + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        var count: UInt32 = 0
        var tag = [UInt8](repeating: 0, count: 64)
        let made = tagKey.withPointer { key in
            COpenSSL.HMAC(version.digest, key, Int32(tagKey.count), input, input.count, &tag, &count) != nil
        }
        guard made, Int(count) == version.tagSize else { throw OpenSSL.clearErrorsReturning(.libraryFailure("HMAC")) }
        return Array(tag.prefix(version.tagSize))
    }

    private func applyAES(_ input: [UInt8], iv: [UInt8], encrypts: Bool) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailure("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let begun = key.withPointer {
            EVP_CipherInit_ex(context, OpenSSL.aes256cbc.pointer, nil, $0, iv, encrypts ? 1 : 0)
        }
        guard begun == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherInit"))
        }
        var done = false
        let output = [UInt8](unsafeUninitializedCapacity: input.count + 16) { out, initialized in
            var (length, rest): (Int32, Int32) = (0, 0)
            guard let start = out.baseAddress,
                EVP_CipherUpdate(context, start, &length, input, Int32(clamping: input.count)) == 1,
                EVP_CipherFinal_ex(context, start + Int(length), &rest) == 1,
                length + rest == Int32(clamping: input.count)
            else { return }
            done = true
            initialized = input.count
        }
        guard done else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherUpdate")) }
        return output
    }
}
