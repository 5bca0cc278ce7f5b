import CSQLCipher
import Glibc
import Synchronization

/// How a file is decrypted.
struct FileKey: Sendable {
    let material: KeyMaterial
    /// The file was made by SQLCipher 3, and the library is a newer one, which must be told (SQLCipher API, `cipher_compatibility`).
    /// To SQLCipher 3 it makes no difference.
    var isVersion3 = false
}

/// The bytes that SQLCipher takes as a key, kept while a database is open (readers are opened when they are first needed) and
/// overwritten when they are released, or erased.
public final class KeyMaterial: Sendable {
    /// Safe to share: the bytes are looked at and overwritten under the mutex only.
    private struct Bytes: @unchecked Sendable {
        let buffer: UnsafeMutableRawBufferPointer
    }
    private let content: Mutex<Bytes>

    /// False when the file is not encrypted.
    let isEncrypting: Bool

    /// A raw key is written `x'…'` in hexadecimal (SQLCipher API, "Raw Key Data"). One of another length would silently be
    /// taken for a passphrase, so it is refused here.
    /// - Throws: `DatabaseError.invalidKey`.
    public init(_ key: DatabaseKey) throws(DatabaseError) {
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
            bytes = .allocate(byteCount: 67, alignment: 1)
            bytes[0] = UInt8(ascii: "x")
            bytes[1] = UInt8(ascii: "'")
            for (index, byte) in raw.enumerated() {
                bytes[2 + 2 * index] = Self.digit(byte >> 4)
                bytes[3 + 2 * index] = Self.digit(byte & 15)
            }
            bytes[66] = UInt8(ascii: "'")
        case .sealed(let other):
            bytes = other.withBytes { source in
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
                copy.copyMemory(from: source)
                return Bytes(buffer: copy)
            }.buffer
        }
        isEncrypting = !bytes.isEmpty
        content = Mutex(Bytes(buffer: bytes))
    }

    /// What `withForm` has shown.
    public init(form: UnsafeRawBufferPointer) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: form.count, alignment: 1)
        bytes.copyMemory(from: form)
        isEncrypting = !bytes.isEmpty
        content = Mutex(Bytes(buffer: bytes))
    }

    /// A key as it is written: 64 hexadecimal digits are one as it is, anything else is a passphrase, nothing is none.
    public convenience init(text: UnsafeRawBufferPointer) {
        let isHexadecimal = text.allSatisfy { (48...57).contains($0) || (65...70).contains($0 & 0xDF) }
        guard text.count == 64, isHexadecimal else {
            self.init(form: text)
            return
        }
        let form = UnsafeMutableRawBufferPointer.allocate(byteCount: 67, alignment: 1)
        defer {
            if let start = form.baseAddress { explicit_bzero(start, form.count) }
            form.deallocate()
        }
        form[0] = UInt8(ascii: "x")
        form[1] = UInt8(ascii: "'")
        for (index, byte) in text.enumerated() { form[2 + index] = byte < 58 ? byte : byte | 0x20 }
        form[66] = UInt8(ascii: "'")
        self.init(form: UnsafeRawBufferPointer(form))
    }

    /// The key as SQLCipher takes it: a passphrase, or `x'…'`.
    public func withForm<T: Sendable>(_ body: (UnsafeRawBufferPointer) -> T) -> T { withBytes(body) }

    deinit {
        erase()
        content.withLock { $0.buffer.deallocate() }
    }

    /// The material of a key: its own where it has one.
    static func of(_ key: DatabaseKey) throws(DatabaseError) -> KeyMaterial {
        if case .sealed(let material) = key { return material }
        return try KeyMaterial(key)
    }

    /// Overwrites the bytes. Nothing can be opened with them any more.
    public func erase() {
        content.withLock { bytes in
            // Unlike memset, a call that the compiler may not drop.
            if let start = bytes.buffer.baseAddress { explicit_bzero(start, bytes.buffer.count) }
        }
    }

    /// Compared in a time that depends on the lengths alone.
    public func isSame(as other: KeyMaterial) -> Bool {
        if self === other { return true }
        return withBytes { mine in
            other.withBytes { theirs in
                guard mine.count == theirs.count else { return false }
                var difference: UInt8 = 0
                for index in mine.indices { difference |= mine[index] ^ theirs[index] }
                return difference == 0
            }
        }
    }

    func withBytes<T: Sendable>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        content.withLock { body(UnsafeRawBufferPointer($0.buffer)) }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }
}
