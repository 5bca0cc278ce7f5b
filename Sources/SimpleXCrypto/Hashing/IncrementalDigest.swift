import COpenSSL

/// A SHA-2 hash of bytes that come in parts, for files that are too large for the memory.
package final class IncrementalDigest {
    package enum Algorithm: Sendable { case sha256, sha512 }

    private let context: OpaquePointer
    private let algorithm: Algorithm

    package init(_ algorithm: Algorithm) throws(CryptoError) {
        guard let context = EVP_MD_CTX_new() else { throw .libraryFailure("EVP_MD_CTX_new") }
        self.context = context
        self.algorithm = algorithm
        guard
            EVP_DigestInit_ex(context, algorithm == .sha256 ? OpenSSL.sha256.pointer : OpenSSL.sha512.pointer, nil) == 1
        else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_DigestInit"))
        }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package func update(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        let done = bytes.withContiguousBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        guard done == 1 else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_DigestUpdate")) }
    }

    /// Returns the hash of all bytes. Must be called once, at the end.
    package func finalize() throws(CryptoError) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: algorithm == .sha256 ? 32 : 64)
        guard EVP_DigestFinal_ex(context, &out, nil) == 1 else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_DigestFinal"))
        }
        return out
    }
}
