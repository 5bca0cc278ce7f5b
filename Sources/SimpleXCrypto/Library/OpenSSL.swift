import COpenSSL
import COpenSSLSetup

/// Algorithms that are fetched once from OpenSSL 3. An algorithm that is not fetched is looked up by its name, under a
/// lock, at each use.
enum OpenSSL {
    /// An algorithm that was fetched from OpenSSL.
    struct Algorithm: @unchecked Sendable {
        // Threads can share this object: fetched methods are immutable and live until the process ends.
        let pointer: OpaquePointer?
    }

    static let sha256 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA2-256", nil))
    static let sha512 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA2-512", nil))
    static let sha3_256 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA3-256", nil))
    static let md5 = Algorithm(pointer: EVP_MD_fetch(nil, "MD5", nil))
    static let sha1 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA1", nil))
    static let sha3_384 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA3-384", nil))
    static let aes256gcm = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    static let aes128gcm = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-128-GCM", nil))
    static let aes256cbc = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-256-CBC", nil))
}

/// An OpenSSL key of one of the 448-bit curves or of P-256. The last reference frees the key, and OpenSSL overwrites
/// its private part.
final class EVPKey: @unchecked Sendable {
    // Threads can share this object: the key is complete when `init` returns, and then only read, which OpenSSL allows
    // from any thread.
    let key: OpaquePointer

    /// Takes ownership of a reference to an OpenSSL key.
    init(owning key: OpaquePointer) { self.key = key }

    /// Makes a key. `type` is an `EVP_PKEY_…` number; `raw` must have the length for this type.
    init(type: Int32, privateKey raw: SecretBytes) throws(CryptoError) {
        let made = raw.withBytes { EVP_PKEY_new_raw_private_key(type, nil, $0.baseAddress, $0.count) }
        guard let made else { throw OpenSSL.clearErrorsReturning(.invalidKey) }
        key = made
    }

    init(type: Int32, publicKey raw: [UInt8]) throws(CryptoError) {
        guard let made = EVP_PKEY_new_raw_public_key(type, nil, raw, raw.count) else {
            throw OpenSSL.clearErrorsReturning(.invalidKey)
        }
        key = made
    }

    /// The values of the C macros `OSSL_PKEY_PARAM_PRIV_KEY` and `OSSL_PKEY_PARAM_PUB_KEY`.
    private static var privateName: UnsafePointer<CChar> { parameterName("priv") }
    private static var publicName: UnsafePointer<CChar> { parameterName("pub") }

    private static func parameterName(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Makes a key pair with a known public key. Without the public key, OpenSSL would compute it again.
    init(algorithm: String, privateKey: SecretBytes, publicKey: [UInt8]) throws(CryptoError) {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_PKEY_CTX_new"))
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_fromdata_init(context) == 1 else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_PKEY_fromdata"))
        }
        var made: OpaquePointer?
        var point = publicKey
        // OpenSSL copies both keys, and does not change them. The pointers are mutable only because the same parameter
        // type is also used for output.
        privateKey.withPointer { scalar in
            point.withUnsafeMutableBytes { point in
                // A parameter keeps the pointer to its name, so the names are static, not Swift strings that are
                // bridged for one call.
                var parameters = [
                    OSSL_PARAM_construct_octet_string(
                        Self.privateName,
                        UnsafeMutableRawPointer(mutating: scalar),
                        privateKey.count
                    ),
                    OSSL_PARAM_construct_octet_string(Self.publicName, point.baseAddress, point.count),
                    OSSL_PARAM_construct_end(),
                ]
                _ = EVP_PKEY_fromdata(
                    context,
                    &made,
                    OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
                    &parameters
                )
            }
        }
        guard let made else { throw OpenSSL.clearErrorsReturning(.invalidKey) }
        key = made
    }

    deinit {
        EVP_PKEY_free(key)
    }

    func publicBytes(count: Int) throws(CryptoError) -> [UInt8] {
        var length = count
        var out = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_get_raw_public_key(key, &out, &length) == 1, length == count else {
            throw OpenSSL.clearErrorsReturning(.invalidKey)
        }
        return out
    }

    /// Computes the Diffie-Hellman secret with `peer`. OpenSSL itself refuses a result that is all zero.
    func deriveSecret(with peer: EVPKey, count: Int) throws(CryptoError) -> SecretBytes {
        guard let context = EVP_PKEY_CTX_new(key, nil) else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_PKEY_CTX_new"))
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer.key) == 1 else {
            throw OpenSSL.clearErrorsReturning(.invalidKey)
        }
        var done = false
        let secret = SecretBytes(count: count) { out in
            var length = count
            done = EVP_PKEY_derive(context, out.baseAddress, &length) == 1 && length == count
        }
        guard done else { throw OpenSSL.clearErrorsReturning(.weakSharedSecret) }
        return secret
    }

    func signMessage(_ message: [UInt8], count: Int) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_MD_CTX_new"))
        }
        defer { EVP_MD_CTX_free(context) }
        var length = count
        var out = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &out, &length, message, message.count) == 1, length == count
        else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_DigestSign")) }
        return out
    }

    func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1,
            EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        else {
            ERR_clear_error()
            return false
        }
        return true
    }
}

extension OpenSSL {
    /// Empties this thread's error queue, and returns `error`. Otherwise the next TLS operation on the thread would
    /// report the old errors.
    static func clearErrorsReturning(_ error: CryptoError) -> CryptoError {
        ERR_clear_error()
        return error
    }
}
