/// Key and nonce of one locally encrypted file. They are stored in the chat database, and have the form of base64url in
/// the API.
public struct CryptoFileArguments: Hashable, Sendable {
    public var fileKey: SymmetricKey
    public var fileNonce: BoxNonce

    /// Makes a random key and nonce. Every file has a separate key and nonce.
    public init() {
        fileKey = SymmetricKey()
        fileNonce = .random()
    }

    public init(fileKey: SymmetricKey, fileNonce: BoxNonce) {
        self.fileKey = fileKey
        self.fileNonce = fileNonce
    }

    /// Makes the key and the nonce from their base64url texts in the API.
    public init(fileKeyText: String, fileNonceText: String) throws(CryptoError) {
        fileKey = try SymmetricKey(rawRepresentation: Base64URL.decode(fileKeyText))
        fileNonce = try BoxNonce(rawRepresentation: Base64URL.decode(fileNonceText))
    }

    public var fileKeyText: String { Base64URL.encode(fileKey.rawRepresentation) }
    public var fileNonceText: String { Base64URL.encode(fileNonce.rawRepresentation) }
}

/// Encryption of local files: the contents in a secret box with its 16-byte tag at the end of the file, without
/// padding.
public enum FileCipher {
    public static let tagSize = 16

    /// The errors of simplexmq's `FTCryptoError`.
    public enum Failure: Error, Hashable, Sendable {
        /// The file is shorter than its tag (`FTCEInvalidFileSize`).
        case invalidFileSize
        /// The tag is wrong: the contents were changed, or the key belongs to another file (`FTCEInvalidAuthTag`).
        case invalidAuthTag
    }

    /// Returns the size of the contents of a file with `storedSize` bytes.
    public static func contentsSize(storedSize: Int64) throws(Failure) -> Int64 {
        guard storedSize >= Int64(tagSize) else { throw .invalidFileSize }
        return storedSize - Int64(tagSize)
    }

    /// Returns the encrypted form of `contents`.
    public static func seal(
        _ contents: some Collection<UInt8>,
        _ arguments: CryptoFileArguments
    ) throws(CryptoError) -> [UInt8] {
        try SecretBox.sealTailTag(contents, key: arguments.fileKey, nonce: arguments.fileNonce)
    }

    public static func open(
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
