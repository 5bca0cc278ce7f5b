package import Files
package import SimpleXCrypto

/// Id of a file that the agent sends or receives: 24 random bytes that only this agent knows.
package struct FileID: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes a new random id.
    package init() { bytes = RandomBytes.make(count: 24) }

    /// Parses the base64url form; nil for invalid text.
    package init?(text: String) {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}

/// A file on this machine.
package struct LocalFile: Hashable, Sendable {
    package var path: StoredPath
    /// Key and nonce of a file that is encrypted on this machine; nil for a plain file.
    package var cryptoArguments: CryptoFileArguments?

    package init(path: StoredPath, arguments: CryptoFileArguments? = nil) {
        self.path = path
        self.cryptoArguments = arguments
    }
}
