/// Key and nonce of one locally encrypted file. The chat database stores key and nonce. In the API they are base64url
/// texts.
package struct CryptoFileArguments: Hashable, Sendable {
    package var fileKey: SymmetricKey
    package var fileNonce: BoxNonce

    /// Makes a random key and nonce. Every file has a separate key and nonce.
    package init() {
        fileKey = SymmetricKey()
        fileNonce = .random()
    }

    package init(fileKey: SymmetricKey, fileNonce: BoxNonce) {
        self.fileKey = fileKey
        self.fileNonce = fileNonce
    }

    /// Makes the key and the nonce from their base64url texts in the API.
    package init(fileKeyText: String, fileNonceText: String) throws(CryptoError) {
        fileKey = try SymmetricKey(rawRepresentation: Base64URL.decode(fileKeyText))
        fileNonce = try BoxNonce(rawRepresentation: Base64URL.decode(fileNonceText))
    }

    package var fileKeyText: String { Base64URL.encode(fileKey.rawRepresentation) }
    package var fileNonceText: String { Base64URL.encode(fileNonce.rawRepresentation) }
}

/// Encryption of local files: the contents in a secret box with its 16-byte tag at the end of the file, without
/// padding.
package enum FileCipher {
    package static let tagSize = 16

    /// The errors of simplexmq's `FTCryptoError`.
    package enum Failure: Error, Hashable, Sendable {
        /// The file is shorter than its tag (`FTCEInvalidFileSize`).
        case invalidFileSize
        /// The tag is wrong: the contents were changed, or the key belongs to another file (`FTCEInvalidAuthTag`).
        case invalidAuthTag
    }

    /// Returns the size of the contents of a file with `storedSize` bytes.
    package static func contentsSize(storedSize: Int64) throws(Failure) -> Int64 {
        guard storedSize >= Int64(tagSize) else { throw .invalidFileSize }
        return storedSize - Int64(tagSize)
    }

    /// Returns the encrypted form of `contents`.
    package static func sealContents(
        _ contents: some Collection<UInt8>,
        _ arguments: CryptoFileArguments
    ) throws(CryptoError) -> [UInt8] {
        try SecretBox.sealTailTag(contents, key: arguments.fileKey, nonce: arguments.fileNonce)
    }

    package static func openContents(
        _ stored: some Collection<UInt8>,
        _ arguments: CryptoFileArguments
    ) throws(Failure) -> [UInt8] {
        guard stored.count >= tagSize else { throw .invalidFileSize }
        do {
            return try SecretBox.openTailTag(stored, key: arguments.fileKey, nonce: arguments.fileNonce)
        } catch {
            throw .invalidAuthTag
        }
    }
}
