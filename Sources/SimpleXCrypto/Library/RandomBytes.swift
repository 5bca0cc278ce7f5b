import CSodium

/// The system's cryptographic random generator.
package enum RandomBytes {
    /// Returns `count` random bytes; empty for a negative count.
    package static func make(count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        Sodium.prepare()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress {
                randombytes_buf(start, count)
                initialized = count
            }
        }
    }
}
