package import ChatAPI
package import SimpleXCrypto

extension CryptoFileArguments {
    /// Decodes the key and nonce of an encrypted file, which commands and responses contain as texts.
    package init(_ arguments: CryptoFileArgs) throws(CryptoError) {
        try self.init(fileKeyText: arguments.fileKey, fileNonceText: arguments.fileNonce)
    }

    package var apiArguments: CryptoFileArgs { CryptoFileArgs(fileKey: fileKeyText, fileNonce: fileNonceText) }
}
