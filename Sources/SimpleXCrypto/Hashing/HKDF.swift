import CSodium

/// HKDF of RFC 5869 with SHA-512, the only key derivation of the SimpleX protocols.
package enum HKDF {
    /// Maximal number of output bytes that RFC 5869 allows.
    package static let maxCount = 255 * 64

    /// Returns `count` bytes of output key material; an empty secret if `count` is not in `0...maxCount`.
    package static func sha512(salt: [UInt8], ikm: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
        salt.withUnsafeBufferPointer { derive(salt: $0, ikm: ikm, info: info, count: count) }
    }

    /// Returns `count` bytes of output key material; an empty secret if `count` is not in `0...maxCount`. The salt is
    /// secret, for example the root key of a ratchet.
    package static func sha512(salt: SecretBytes, ikm: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
        salt.withBytes { derive(salt: $0, ikm: ikm, info: info, count: count) }
    }

    private static func derive(
        salt: UnsafeBufferPointer<UInt8>,
        ikm: SecretBytes,
        info: [UInt8],
        count: Int
    ) -> SecretBytes {
        guard (0...maxCount).contains(count) else { return SecretBytes([]) }
        let (hashSize, empty) = (64, [UInt8](repeating: 0, count: 1))
        var state = crypto_auth_hmacsha512_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        let pseudorandomKey = SecretBytes.filled(count: hashSize) { out in
            empty.withUnsafeBufferPointer { nothing in
                if let start = salt.baseAddress ?? nothing.baseAddress {
                    _ = crypto_auth_hmacsha512_init(&state, start, salt.count)
                }
            }
            ikm.withPointer { _ = crypto_auth_hmacsha512_update(&state, $0, UInt64(ikm.count)) }
            crypto_auth_hmacsha512_final(&state, out)
        }
        let blocks = (count + hashSize - 1) / hashSize
        let output = SecretBytes.filled(count: blocks * hashSize) { out in
            for index in 0..<blocks {
                let block = out + index * hashSize
                pseudorandomKey.withPointer { _ = crypto_auth_hmacsha512_init(&state, $0, hashSize) }
                if index > 0 { crypto_auth_hmacsha512_update(&state, block - hashSize, UInt64(hashSize)) }
                crypto_auth_hmacsha512_update(&state, info, UInt64(info.count))
                var counter = UInt8(truncatingIfNeeded: index + 1)
                crypto_auth_hmacsha512_update(&state, &counter, 1)
                crypto_auth_hmacsha512_final(&state, block)
            }
        }
        return output.count == count ? output : output[0..<count]
    }
}
