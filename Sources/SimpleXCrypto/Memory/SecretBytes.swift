import CSodium

/// Secret bytes that are overwritten when the last copy of the value is released, and compared in constant time.
///
/// Copies share one buffer, so passing a secret on makes no further copy in memory. `bytes` and `withBytes` expose the
/// contents; callers should keep copies of them short-lived.
public struct SecretBytes: Sendable, Hashable {
    private let storage: Storage

    /// Copies `bytes`.
    public init(_ bytes: some Collection<UInt8>) {
        storage = Storage(count: bytes.count)
        _ = storage.buffer.initialize(from: bytes)
    }

    /// `count` zero bytes, filled in by `fill`.
    public init(count: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        storage = Storage(count: max(count, 0))
        fill(storage.buffer)
    }

    /// `count` bytes from the system's random generator.
    public static func random(count: Int) -> SecretBytes {
        Sodium.prepare()
        let secret = SecretBytes(count: count) { _ in }
        randombytes_buf(secret.storage.pointer, secret.count)
        return secret
    }

    /// One secret after the other.
    public static func concatenating(_ parts: SecretBytes...) -> SecretBytes {
        SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { out in
            var offset = 0
            for part in parts {
                part.withBytes {
                    _ = UnsafeMutableBufferPointer(rebasing: out[offset..<offset + $0.count]).update(fromContentsOf: $0)
                }
                offset += part.count
            }
        }
    }

    public var count: Int { storage.buffer.count }

    /// A copy of the contents, no longer wiped by this type.
    public var bytes: [UInt8] { Array(storage.buffer) }

    /// The contents in place. The pointer is never null and valid only inside `body`.
    public func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        withExtendedLifetime(storage) { body(UnsafeBufferPointer(storage.buffer)) }
    }

    func withPointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
        withExtendedLifetime(storage) { body(UnsafePointer(storage.pointer)) }
    }

    /// `count` zero bytes, filled in by C at the pointer.
    static func filled(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> SecretBytes {
        let secret = SecretBytes(count: count) { _ in }
        fill(secret.storage.pointer)
        return secret
    }

    /// A part of the secret as a secret of its own; bounds outside `0..<count` are cut off.
    public subscript(range: Range<Int>) -> SecretBytes {
        withBytes { SecretBytes($0[range.clamped(to: 0..<$0.count)]) }
    }

    /// Equal contents; takes the same time wherever the first difference is. Lengths are not secret.
    public static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        a.storage === b.storage
            || a.withBytes { left in b.withBytes { right in constantTimeEquals(left, right) } }
    }

    /// Hashes only the length, so that no hash table reveals a secret's contents.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }

    private final class Storage: @unchecked Sendable {
        // Safe to share: written only while `SecretBytes.init` holds the one reference, then read-only until released.
        let pointer: UnsafeMutablePointer<UInt8>
        let buffer: UnsafeMutableBufferPointer<UInt8>
        /// At least one byte, so that the address passed to C is never null.
        private let capacity: Int

        init(count: Int) {
            capacity = max(count, 1)
            pointer = .allocate(capacity: capacity)
            pointer.initialize(repeating: 0, count: capacity)
            buffer = UnsafeMutableBufferPointer(start: pointer, count: count)
        }

        deinit {
            sodium_memzero(pointer, capacity)
            pointer.deallocate()
        }
    }
}

extension SecretBytes: CustomStringConvertible {
    /// Only the length, so that secrets do not get into logs.
    public var description: String { "SecretBytes(\(count))" }
}

/// Overwrites a secret in place. (The compiler may remove an ordinary assignment that nobody reads.) Copies of the
/// array keep it.
public func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { sodium_memzero(start, bytes.count) }
    }
}
