import COpenSSL

/// The curve P-256 of FIPS 186-5 for Web Push: Diffie-Hellman (RFC 8291) and ECDSA with SHA-256 (RFC 8292).
package enum P256 {
    /// Number of bytes of an uncompressed point: the byte 4, then the two coordinates.
    package static let publicKeySize = 65

    package struct PrivateKey: Sendable {
        /// The public point of the key, 65 bytes.
        package let publicKey: [UInt8]
        private let key: EVPKey

        /// Makes a random key.
        package init() throws(CryptoError) {
            guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
                throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_PKEY_CTX_new"))
            }
            defer { EVP_PKEY_CTX_free(context) }
            var made: OpaquePointer?
            guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
                EVP_PKEY_generate(context, &made) == 1, let made
            else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_PKEY_generate")) }
            key = EVPKey(owning: made)
            publicKey = try PrivateKey.readPublicPoint(of: key)
        }

        /// Makes a key from its stored form.
        /// - Parameter bytes: the key in the form of ``rawRepresentation``.
        package init(rawRepresentation bytes: SecretBytes) throws(CryptoError) {
            guard bytes.count == 32 + publicKeySize else {
                throw .invalidLength(of: "P-256 key", expected: 32 + publicKeySize, actual: bytes.count)
            }
            // The beginning of an ECPrivateKey of RFC 5915.
            let head: [UInt8] = [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20]
            let middle: [UInt8] = [
                0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0xA1, 0x44, 0x03, 0x42, 0x00,
            ]
            let der = SecretBytes.concatenating(
                SecretBytes(head),
                bytes[0..<32],
                SecretBytes(middle),
                bytes[32..<bytes.count]
            )
            let made = der.withBytes { buffer in
                var start = buffer.baseAddress
                return d2i_AutoPrivateKey(nil, &start, buffer.count)
            }
            guard let made else { throw OpenSSL.clearErrorsReturning(.invalidKey) }
            key = EVPKey(owning: made)
            publicKey = try PrivateKey.readPublicPoint(of: key)
            // The stored public key must belong to the private key. Otherwise messages that are encrypted for the
            // public key could not be decrypted.
            guard publicKey == bytes[32..<bytes.count].bytes else { throw .invalidKey }
        }

        /// The secret number of the key (32 bytes), then the public point of the key (65 bytes).
        package var rawRepresentation: SecretBytes {
            get throws(CryptoError) {
                var number: OpaquePointer?
                guard EVP_PKEY_get_bn_param(key.key, "priv", &number) == 1, let number else {
                    throw OpenSSL.clearErrorsReturning(.invalidKey)
                }
                defer { BN_clear_free(number) }
                let scalar = SecretBytes.filled(count: 32) { _ = BN_bn2binpad(number, $0, 32) }
                return .concatenating(scalar, SecretBytes(publicKey))
            }
        }

        private static func readPublicPoint(of key: EVPKey) throws(CryptoError) -> [UInt8] {
            var out = [UInt8](repeating: 0, count: publicKeySize)
            var length = 0
            guard EVP_PKEY_get_octet_string_param(key.key, "pub", &out, publicKeySize, &length) == 1,
                length == publicKeySize, out[0] == 4
            else {
                throw OpenSSL.clearErrorsReturning(.invalidKey)
            }
            return out
        }

        /// Computes the Diffie-Hellman secret, 32 bytes: the first coordinate of the point that both sides compute.
        package func sharedSecret(with publicKey: [UInt8]) throws(CryptoError) -> SecretBytes {
            try key.deriveSecret(with: P256.makeKey(publicKey), count: 32)
        }

        /// Signs a message. Returns the two numbers of the signature, 64 bytes, in the form of JSON Web Signatures (RFC
        /// 7518, section 3.4).
        package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard let context = EVP_MD_CTX_new() else {
                throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_MD_CTX_new"))
            }
            defer { EVP_MD_CTX_free(context) }
            var der = [UInt8](repeating: 0, count: 80)
            var length = der.count
            guard EVP_DigestSignInit(context, nil, OpenSSL.sha256.pointer, nil, key.key) == 1,
                EVP_DigestSign(context, &der, &length, message, message.count) == 1,
                let raw = P256.parseSignature(Array(der.prefix(length)))
            else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_DigestSign")) }
            return raw
        }
    }

    /// Returns whether a signature is valid.
    /// - Parameters:
    ///   - signature: the signature, 64 bytes.
    ///   - publicKey: the public point of the signer's key, 65 bytes.
    package static func isValidSignature(_ signature: [UInt8], for message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard signature.count == 64, let key = try? makeKey(publicKey), let context = EVP_MD_CTX_new() else {
            return false
        }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        let der = encodeDERSequence(encodeDERInteger(signature[..<32]) + encodeDERInteger(signature[32...]))
        return EVP_DigestVerifyInit(context, nil, OpenSSL.sha256.pointer, nil, key.key) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    /// Returns whether the bytes are a point of the curve.
    package static func isPublicKey(_ bytes: [UInt8]) -> Bool { (try? makeKey(bytes)) != nil }

    private static func makeKey(_ publicKey: [UInt8]) throws(CryptoError) -> EVPKey {
        guard publicKey.count == publicKeySize, publicKey[0] == 4 else { throw .invalidKey }
        let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let made = (head + publicKey).withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_PUBKEY(nil, &start, buffer.count)
        }
        guard let made else { throw OpenSSL.clearErrorsReturning(.invalidKey) }
        return EVPKey(owning: made)
    }

    // MARK: ECDSA-Sig-Value of RFC 3279

    private static func encodeDERSequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }

    private static func encodeDERInteger(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    /// Parses the two numbers of a signature, and returns them with 32 bytes each.
    private static func parseSignature(_ der: [UInt8]) -> [UInt8]? {
        var rest = der[...]
        guard rest.popFirst() == 0x30, let count = rest.popFirst(), Int(count) == rest.count else { return nil }
        var out: [UInt8] = []
        for _ in 0..<2 {
            guard rest.popFirst() == 0x02, let size = rest.popFirst(), Int(size) <= rest.count else { return nil }
            let digits = rest.prefix(Int(size)).drop { $0 == 0 }
            rest = rest.dropFirst(Int(size))
            guard digits.count <= 32 else { return nil }
            out += [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
        return rest.isEmpty ? out : nil
    }
}
