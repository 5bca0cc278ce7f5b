import COpenSSL

/// The hash functions of the protocols.
public enum Digest {
    /// 16 bytes. Broken: use it only for comparisons that a protocol requires.
    public static func md5(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, OpenSSL.md5, count: 16) }
    /// 20 bytes. Broken: for the handshake of WebSockets (RFC 6455), where it guards nothing.
    public static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, OpenSSL.sha1, count: 20) }
    /// 32 bytes.
    public static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, OpenSSL.sha256, count: 32) }
    /// 64 bytes.
    public static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, OpenSSL.sha512, count: 64) }
    /// 32 bytes.
    public static func sha3_256(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, OpenSSL.sha3_256, count: 32) }
    /// 48 bytes.
    public static func sha3_384(_ bytes: some Collection<UInt8>) -> [UInt8] { hash(bytes, OpenSSL.sha3_384, count: 48) }

    private static func hash(_ bytes: some Collection<UInt8>, _ algorithm: OpenSSL.Algorithm, count: Int) -> [UInt8] {
        bytes.withContiguousBytes { input in
            [UInt8](unsafeUninitializedCapacity: count) { out, initialized in
                let done = EVP_Digest(input.baseAddress, input.count, out.baseAddress, nil, algorithm.pointer, nil)
                // Fails for no input: only if OpenSSL lacks the algorithm or memory, and a wrong hash must not go on.
                precondition(done == 1, "OpenSSL cannot hash")
                initialized = count
            }
        }
    }
}
