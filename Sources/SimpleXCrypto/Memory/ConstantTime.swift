import CSodium

/// Compares two arrays in a time that does not depend on the position of the first difference. Arrays of different
/// lengths are unequal, and their contents are not compared.
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
}

func constantTimeEquals(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return sodium_memcmp(left, right, a.count) == 0
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes of the collection in contiguous memory. The bytes are copied only if the collection
    /// does not have contiguous memory.
    func withContiguousBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
