import CSQLCipher

/// What a database file is encrypted with.
public enum DatabaseKey: Sendable {
    /// Any text; SQLCipher derives the key from it with PBKDF2, which takes a noticeable part of a second.
    case passphrase(String)
    /// 32 random bytes, used as they are.
    case raw([UInt8])
    /// The file is not encrypted.
    case none

    /// The bytes that `sqlite3_key` takes: a raw key is written `x'…'` in hexadecimal (SQLCipher API, "Raw Key Data").
    func withKeyBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        var bytes: [UInt8]
        switch self {
        case .none: bytes = []
        case .passphrase(let text): bytes = Array(text.utf8)
        case .raw(let key):
            let digits = Array("0123456789abcdef".utf8)
            bytes = Array("x'".utf8)
            for byte in key {
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
            bytes.append(UInt8(ascii: "'"))
        }
        defer { wipe(&bytes) }
        return try bytes.withUnsafeBytes(body)
    }
}

/// Overwrites key material; `withUnsafeMutableBytes` keeps the compiler from dropping stores that nothing reads.
private func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
        for index in buffer.indices { buffer[index] = 0 }
    }
}
