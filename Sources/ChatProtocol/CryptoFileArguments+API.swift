package import ChatAPI
package import SimpleXCrypto

extension CryptoFileArguments {
    /// Reads the form of the API.
    package init(_ arguments: CryptoFileArgs) throws(CryptoError) {
        try self.init(fileKeyText: arguments.fileKey, fileNonceText: arguments.fileNonce)
    }

    package var apiArguments: CryptoFileArgs { CryptoFileArgs(fileKey: fileKeyText, fileNonce: fileNonceText) }
}
