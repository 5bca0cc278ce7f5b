public import Files
public import SimpleXCrypto

/// Id of a file that the agent sends or receives: 24 random bytes that only this agent knows.
public struct FileID: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes a new random id.
    public init() { bytes = RandomBytes.make(count: 24) }

    /// Parses the base64url form; nil for invalid text.
    public init?(text: String) {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }

    public var text: String { Base64URL.encode(bytes) }
}

/// A file on this machine.
public struct LocalFile: Hashable, Sendable {
    public var path: StoredPath
    /// Key and nonce of a file that is encrypted on this machine; nil for a plain file.
    public var arguments: CryptoFileArguments?

    public init(path: StoredPath, arguments: CryptoFileArguments? = nil) {
        self.path = path
        self.arguments = arguments
    }
}
