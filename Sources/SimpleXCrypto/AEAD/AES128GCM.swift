import COpenSSL

/// AES-128 in GCM with nonces of 12 bytes: the content coding of Web Push (RFC 8188).
package enum AES128GCM {
    private static let tagSize = 16

    /// Encrypts a message. Returns the ciphertext, followed by the tag.
    package static func seal(_ message: [UInt8], key: SecretBytes, nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        let context = try Context(key, nonce, encrypting: true)
        var out = try context.processPart(message)
        var tag = [UInt8](repeating: 0, count: tagSize)
        guard context.finishAndCheckTag(),
            EVP_CIPHER_CTX_ctrl(context.contextPointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), &tag) == 1
        else {
            throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherFinal"))
        }
        out += tag
        return out
    }

    package static func open(_ sealed: [UInt8], key: SecretBytes, nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= tagSize else { throw .authenticationFailed }
        let context = try Context(key, nonce, encrypting: false)
        let out = try context.processPart(Array(sealed.dropLast(tagSize)))
        var tag = Array(sealed.suffix(tagSize))
        guard EVP_CIPHER_CTX_ctrl(context.contextPointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1,
            context.finishAndCheckTag()
        else {
            throw OpenSSL.clearErrorsReturning(.authenticationFailed)
        }
        return out
    }

    private final class Context {
        let contextPointer: OpaquePointer

        init(_ key: SecretBytes, _ nonce: [UInt8], encrypting: Bool) throws(CryptoError) {
            guard key.count == 16 else { throw .invalidLength(of: "key", expected: 16, actual: key.count) }
            guard nonce.count == 12 else { throw .invalidLength(of: "nonce", expected: 12, actual: nonce.count) }
            guard let made = EVP_CIPHER_CTX_new() else { throw .libraryFailure("EVP_CIPHER_CTX_new") }
            contextPointer = made
            guard
                key.withBytes({
                    EVP_CipherInit_ex(made, OpenSSL.aes128gcm.pointer, nil, $0.baseAddress, nonce, encrypting ? 1 : 0)
                }) == 1
            else {
                throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherInit"))
            }
        }

        deinit { EVP_CIPHER_CTX_free(contextPointer) }

        func processPart(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard !input.isEmpty else { return [] }
            guard let count = Int32(exactly: input.count) else { throw .messageTooLarge }
            var out = [UInt8](repeating: 0, count: input.count)
            var length: Int32 = 0
            guard EVP_CipherUpdate(contextPointer, &out, &length, input, count) == 1, length == count else {
                throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherUpdate"))
            }
            return out
        }

        func finishAndCheckTag() -> Bool {
            var scratch = [UInt8](repeating: 0, count: 16)
            var length: Int32 = 0
            return EVP_CipherFinal_ex(contextPointer, &scratch, &length) == 1
        }
    }
}
