import CSodium

/// Secret bytes that are overwritten when the last copy of the value is released, and compared in constant time.
///
/// Copies share one buffer, so passing a secret makes no further copy in memory. `bytes` and `withBytes` expose the
/// contents; callers should release copies of the contents soon.
package struct SecretBytes: Sendable, Hashable {
    private let storage: Storage

    /// Copies bytes into a new secret.
    package init(_ bytes: some Collection<UInt8>) {
        storage = Storage(count: bytes.count)
        _ = storage.buffer.initialize(from: bytes)
    }

    /// Makes a secret of `count` bytes, which `fill` writes.
    package init(count: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        storage = Storage(count: max(count, 0))
        fill(storage.buffer)
    }

    /// Makes a secret of `count` bytes with the system's random generator.
    package static func random(count: Int) -> SecretBytes {
        Sodium.prepare()
        let secret = SecretBytes(count: count) { _ in }
        randombytes_buf(secret.storage.pointer, secret.count)
        return secret
    }

    /// Concatenates several secrets to one secret.
    package static func concatenating(_ parts: SecretBytes...) -> SecretBytes {
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

    package var count: Int { storage.buffer.count }

    /// A copy of the contents, which this type does not overwrite.
    package var bytes: [UInt8] { Array(storage.buffer) }

    /// Calls `body` with the contents in place. The pointer is not null, and is valid only inside `body`.
    package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        withExtendedLifetime(storage) { body(UnsafeBufferPointer(storage.buffer)) }
    }

    func withPointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
        withExtendedLifetime(storage) { body(UnsafePointer(storage.pointer)) }
    }

    /// Makes `count` zero bytes, which a C function fills through the pointer.
    static func filled(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> SecretBytes {
        let secret = SecretBytes(count: count) { _ in }
        fill(secret.storage.pointer)
        return secret
    }

    /// Returns a part of the secret as a separate secret. Bounds outside of `0..<count` are cut off.
    package subscript(range: Range<Int>) -> SecretBytes {
        withBytes { SecretBytes($0[range.clamped(to: 0..<$0.count)]) }
    }

    /// Compares the contents. The time does not depend on the position of the first difference. Lengths are not secret.
    package static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        a.storage === b.storage
            || a.withBytes { left in b.withBytes { right in constantTimeEquals(left, right) } }
    }

    /// Hashes the length and not the contents, so that no hash table reveals the secret.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }

    private final class Storage: @unchecked Sendable {
        // Threads can share this object: the bytes are written only while `SecretBytes.init` holds the only reference,
        // and then only read.
        let pointer: UnsafeMutablePointer<UInt8>
        let buffer: UnsafeMutableBufferPointer<UInt8>
        /// The number of allocated bytes, at least one, so that the address passed to C is never null.
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
    /// A text with only the length, so that secrets do not get into logs.
    package var description: String { "SecretBytes(\(count))" }
}

/// Overwrites a secret in place. (The compiler may remove an ordinary assignment whose result is not read.) Copies of
/// the array are not overwritten.
package func wipeBytes(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { sodium_memzero(start, bytes.count) }
    }
}
