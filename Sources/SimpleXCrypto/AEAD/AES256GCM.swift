import COpenSSL

/// AES-256 in GCM. Messages and headers of the double ratchet use a 16-byte IV and padding; frames of calls use a
/// 12-byte IV and no padding.
package enum AES256GCM {
    package static let tagSize = 16

    package struct Sealed: Hashable, Sendable {
        package var ciphertext: [UInt8]
        /// The authentication tag, 16 bytes.
        package var tag: [UInt8]

        package init(ciphertext: [UInt8], tag: [UInt8]) {
            self.ciphertext = ciphertext
            self.tag = tag
        }
    }

    /// Pads `message` to `paddedTo` bytes if given (`Padding.padMessage`), and encrypts it.
    /// - Parameter iv: 12 or 16 bytes. For 16 bytes, the first counter block is the GHASH of the IV.
    package static func seal(
        key: SymmetricKey,
        iv: [UInt8],
        associatedData: [UInt8],
        message: [UInt8],
        paddedTo: Int? = nil
    ) throws(CryptoError) -> Sealed {
        let plaintext = if let paddedTo { try Padding.padMessage(message, to: paddedTo) } else { message }
        let context = try Context(key: key, iv: iv, encrypting: true)
        try context.addAuthenticatedData(associatedData)
        let ciphertext = try context.processPart(plaintext)
        return Sealed(ciphertext: ciphertext, tag: try context.finishEncryption())
    }

    /// Verifies and decrypts a message. If `padded`, also removes the padding.
    package static func open(
        key: SymmetricKey,
        iv: [UInt8],
        associatedData: [UInt8],
        ciphertext: [UInt8],
        tag: [UInt8],
        padded: Bool = true
    ) throws(CryptoError) -> [UInt8] {
        guard tag.count == tagSize else { throw .authenticationFailed }
        let context = try Context(key: key, iv: iv, encrypting: false)
        try context.addAuthenticatedData(associatedData)
        let plaintext = try context.processPart(ciphertext)
        try context.finishDecryption(tag: tag)
        return padded ? try Padding.unpadMessage(plaintext) : plaintext
    }

    private final class Context {
        private let context: OpaquePointer

        init(key: SymmetricKey, iv: [UInt8], encrypting: Bool) throws(CryptoError) {
            guard iv.count == 12 || iv.count == 16 else {
                throw .invalidLength(of: "IV", expected: 16, actual: iv.count)
            }
            guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailure("EVP_CIPHER_CTX_new") }
            self.context = context
            let direction: Int32 = encrypting ? 1 : 0
            guard EVP_CipherInit_ex(context, OpenSSL.aes256gcm.pointer, nil, nil, nil, direction) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.count), nil) == 1,
                key.secret.withBytes({ EVP_CipherInit_ex(context, nil, nil, $0.baseAddress, iv, direction) }) == 1
            else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherInit")) }
        }

        deinit {
            EVP_CIPHER_CTX_free(context)
        }

        func addAuthenticatedData(_ data: [UInt8]) throws(CryptoError) {
            guard !data.isEmpty else { return }
            var length: Int32 = 0
            guard let count = Int32(exactly: data.count), EVP_CipherUpdate(context, nil, &length, data, count) == 1
            else {
                throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherUpdate"))
            }
        }

        func processPart(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard !input.isEmpty else { return [] }
            guard let count = Int32(exactly: input.count) else { throw .messageTooLarge }
            var done = false
            let output = [UInt8](unsafeUninitializedCapacity: input.count) { out, initialized in
                var length: Int32 = 0
                done = EVP_CipherUpdate(context, out.baseAddress, &length, input, count) == 1 && length == count
                initialized = done ? input.count : 0
            }
            guard done else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherUpdate")) }
            return output
        }

        func finishEncryption() throws(CryptoError) -> [UInt8] {
            var scratch = [UInt8](repeating: 0, count: 16)
            var length: Int32 = 0
            var tag = [UInt8](repeating: 0, count: AES256GCM.tagSize)
            guard EVP_CipherFinal_ex(context, &scratch, &length) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
            else { throw OpenSSL.clearErrorsReturning(.libraryFailure("EVP_CipherFinal")) }
            return tag
        }

        func finishDecryption(tag: [UInt8]) throws(CryptoError) {
            var expected = tag
            var scratch = [UInt8](repeating: 0, count: 16)
            var length: Int32 = 0
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(expected.count), &expected) == 1,
                EVP_CipherFinal_ex(context, &scratch, &length) == 1
            else { throw OpenSSL.clearErrorsReturning(.authenticationFailed) }
        }
    }
}
