import COpenSSL

/// The hash functions of the protocols.
package enum Digest {
    /// Returns the MD5 hash, 16 bytes. MD5 is broken: use it only for comparisons that a protocol requires.
    package static func md5(_ bytes: some Collection<UInt8>) -> [UInt8] { computeHash(bytes, OpenSSL.md5, count: 16) }
    /// Returns the SHA-1 hash, 20 bytes. SHA-1 is broken, but the handshake of WebSockets (RFC 6455) does not use it
    /// for security.
    package static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8] { computeHash(bytes, OpenSSL.sha1, count: 20) }
    /// Returns the SHA-256 hash, 32 bytes.
    package static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        computeHash(bytes, OpenSSL.sha256, count: 32)
    }
    /// Returns the SHA-512 hash, 64 bytes.
    package static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8] {
        computeHash(bytes, OpenSSL.sha512, count: 64)
    }
    /// Returns the SHA3-256 hash, 32 bytes.
    package static func sha3_256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        computeHash(bytes, OpenSSL.sha3_256, count: 32)
    }
    /// Returns the SHA3-384 hash, 48 bytes.
    package static func sha3_384(_ bytes: some Collection<UInt8>) -> [UInt8] {
        computeHash(bytes, OpenSSL.sha3_384, count: 48)
    }

    private static func computeHash(
        _ bytes: some Collection<UInt8>,
        _ algorithm: OpenSSL.Algorithm,
        count: Int
    ) -> [UInt8] {
        bytes.withContiguousBytes { input in
            [UInt8](unsafeUninitializedCapacity: count) { out, initialized in
                let done = EVP_Digest(input.baseAddress, input.count, out.baseAddress, nil, algorithm.pointer, nil)
                // The call cannot fail because of its input. It fails only if OpenSSL lacks the algorithm or memory.
                // The program must not continue with a wrong hash.
                precondition(done == 1, "OpenSSL cannot hash")
                initialized = count
            }
        }
    }
}
