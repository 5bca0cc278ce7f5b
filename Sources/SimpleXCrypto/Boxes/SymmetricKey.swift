/// A 32-byte key of a secret box or of AES-256.
package struct SymmetricKey: Hashable, Sendable {
    package static let size = 32
    let secret: SecretBytes

    /// Makes a new random key.
    package init() { secret = .random(count: Self.size) }

    package init(_ secret: SecretBytes) throws(CryptoError) {
        try secret.requireCount(Self.size, of: "symmetric key")
        self.secret = secret
    }

    package init(rawRepresentation: [UInt8]) throws(CryptoError) { try self.init(SecretBytes(rawRepresentation)) }

    /// A copy of the 32 bytes of the key. The copy is not overwritten when it is released.
    package var rawRepresentation: [UInt8] { secret.bytes }
    package var secretBytes: SecretBytes { secret }
}
