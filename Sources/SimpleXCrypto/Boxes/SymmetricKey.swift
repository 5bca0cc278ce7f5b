/// A 32-byte key of a secret box or of AES-256.
public struct SymmetricKey: Hashable, Sendable {
    public static let size = 32
    let secret: SecretBytes

    /// Makes a new random key.
    public init() { secret = .random(count: Self.size) }

    public init(_ secret: SecretBytes) throws(CryptoError) {
        try secret.requireCount(Self.size, of: "symmetric key")
        self.secret = secret
    }

    public init(rawRepresentation: [UInt8]) throws(CryptoError) { try self.init(SecretBytes(rawRepresentation)) }

    /// A copy of the 32 bytes of the key. The copy is not overwritten when it is released.
    public var rawRepresentation: [UInt8] { secret.bytes }
    public var secretBytes: SecretBytes { secret }
}
