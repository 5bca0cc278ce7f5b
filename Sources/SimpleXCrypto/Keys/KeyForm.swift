/// The DER forms of one key type. Keys of RFC 8410 have no parameters and one size, so each form is a fixed prefix and
/// the raw key.
struct KeyForm: Sendable {
    let size: Int
    let spkiPrefix: [UInt8]
    let pkcs8Prefix: [UInt8]

    func parse(spki: some Collection<UInt8>) throws(CryptoError) -> [UInt8] { try stripPrefix(spkiPrefix, from: spki) }

    func parse(pkcs8: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        try stripPrefix(pkcs8Prefix, from: pkcs8)
    }

    func isSPKI(_ der: some Collection<UInt8>) -> Bool {
        der.withContiguousBytes { hasKeyForm($0, spkiPrefix) }
    }

    private func stripPrefix(_ prefix: [UInt8], from der: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let raw = der.withContiguousBytes { bytes in
            hasKeyForm(bytes, prefix) ? Array(UnsafeBufferPointer(rebasing: bytes[prefix.count...])) : nil
        }
        guard let raw else { throw .invalidKey }
        return raw
    }

    /// Returns whether the bytes are a key with this prefix. The bytes are not copied, because a relay reads the keys
    /// of hundreds of thousands of files at its start.
    private func hasKeyForm(_ der: UnsafeBufferPointer<UInt8>, _ prefix: [UInt8]) -> Bool {
        der.count == prefix.count + size && prefix.indices.allSatisfy { der[$0] == prefix[$0] }
    }
}

extension [UInt8] {
    func requireCount(_ expected: Int, of what: String) throws(CryptoError) {
        guard count == expected else { throw .invalidLength(of: what, expected: expected, actual: count) }
    }
}

extension SecretBytes {
    func requireCount(_ expected: Int, of what: String) throws(CryptoError) {
        guard count == expected else { throw .invalidLength(of: what, expected: expected, actual: count) }
    }
}
