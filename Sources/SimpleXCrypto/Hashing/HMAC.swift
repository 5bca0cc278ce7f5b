import CSodium

/// HMAC of RFC 2104 with SHA-256.
package enum HMAC {
    /// Returns the HMAC of the concatenated parts, 32 bytes. The key may have any length.
    package static func sha256(_ parts: [UInt8]..., key: SecretBytes) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        key.withPointer { _ = crypto_auth_hmacsha256_init(&state, $0, key.count) }
        for part in parts { crypto_auth_hmacsha256_update(&state, part, UInt64(part.count)) }
        var out = [UInt8](repeating: 0, count: 32)
        crypto_auth_hmacsha256_final(&state, &out)
        return out
    }
}
