import CSodium

/// HKDF of RFC 5869 with SHA-512, the one key derivation of all SimpleX protocols.
public enum HKDF {
    /// `count` bytes (at most 255 × 64) of output key material; more, or a negative count, gives an empty secret.
    public static func sha512(salt: [UInt8], ikm: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
        guard (0...255 * 64).contains(count) else { return SecretBytes([]) }
        let blocks = (count + 63) / 64
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { scratch in
            // scratch: pseudorandom key ‖ current block
            guard let prk = scratch.baseAddress else { return SecretBytes([]) }
            let block = prk + 64
            defer { sodium_memzero(prk, 128) }
            var state = crypto_auth_hmacsha512_state()
            defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
            let prkBytes = prk.assumingMemoryBound(to: UInt8.self)
            let blockBytes = block.assumingMemoryBound(to: UInt8.self)
            crypto_auth_hmacsha512_init(&state, salt, salt.count)
            ikm.withPointer { _ = crypto_auth_hmacsha512_update(&state, $0, UInt64(ikm.count)) }
            crypto_auth_hmacsha512_final(&state, prkBytes)
            return SecretBytes(count: count) { out in
                for index in 0..<blocks {
                    crypto_auth_hmacsha512_init(&state, prkBytes, 64)
                    if index > 0 { crypto_auth_hmacsha512_update(&state, blockBytes, 64) }
                    crypto_auth_hmacsha512_update(&state, info, UInt64(info.count))
                    var counter = UInt8(truncatingIfNeeded: index + 1)
                    crypto_auth_hmacsha512_update(&state, &counter, 1)
                    crypto_auth_hmacsha512_final(&state, blockBytes)
                    let offset = index * 64
                    for at in 0..<min(64, count - offset) { out[offset + at] = blockBytes[at] }
                }
            }
        }
    }

    /// 96 bytes in three secrets of 32: the shape of all ratchet derivations.
    public static func three(salt: [UInt8], ikm: SecretBytes, info: String) -> (SecretBytes, SecretBytes, SecretBytes) {
        let output = sha512(salt: salt, ikm: ikm, info: Array(info.utf8), count: 96)
        return (output[0..<32], output[32..<64], output[64..<96])
    }
}
