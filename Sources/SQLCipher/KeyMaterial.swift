import CSQLCipher
import Glibc

/// How a file is decrypted.
struct FileKey: Sendable {
    let material: KeyMaterial
    /// The file was made by SQLCipher 3, and the library is a newer one, which must be told (SQLCipher API, `cipher_compatibility`).
    /// To SQLCipher 3 it makes no difference.
    var isVersion3 = false
}

/// The bytes that SQLCipher takes as a key, kept while a database is open (readers are opened when they are first needed) and
/// overwritten when it is released.
final class KeyMaterial: @unchecked Sendable {
    // Safe to share: the bytes are written in `init` and `deinit` only.
    private let bytes: UnsafeMutableRawBufferPointer

    /// A raw key is written `x'…'` in hexadecimal (SQLCipher API, "Raw Key Data"). One of another length would silently be
    /// taken for a passphrase, so it is refused here.
    init(_ key: DatabaseKey) throws(DatabaseError) {
        switch key {
        case .none:
            bytes = .allocate(byteCount: 0, alignment: 1)
        case .passphrase(let text):
            guard !text.isEmpty else { throw .invalidKey }
            bytes = .allocate(byteCount: text.utf8.count, alignment: 1)
            bytes.copyBytes(from: text.utf8)
        case .raw(let raw):
            guard raw.count == 32 else { throw .invalidKey }
            bytes = .allocate(byteCount: 67, alignment: 1)
            bytes[0] = UInt8(ascii: "x")
            bytes[1] = UInt8(ascii: "'")
            for (index, byte) in raw.enumerated() {
                bytes[2 + 2 * index] = Self.digit(byte >> 4)
                bytes[3 + 2 * index] = Self.digit(byte & 15)
            }
            bytes[66] = UInt8(ascii: "'")
        }
    }

    deinit {
        // Unlike memset, a call that the compiler may not drop.
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }

    /// False when the file is not encrypted.
    var isEncrypting: Bool { !bytes.isEmpty }

    func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T { body(UnsafeRawBufferPointer(bytes)) }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }
}
