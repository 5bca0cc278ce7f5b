import COpenSSL

/// Signatures over edwards448 (RFC 8032).
package enum Ed448 {
    /// Number of bytes of a raw key.
    package static let size = 57
    /// Number of bytes of a signature.
    package static let signatureSize = 114
    static let form = KeyForm(
        size: 57,
        spkiPrefix: [0x30, 0x43, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x71, 0x03, 0x3a, 0x00],
        pkcs8Prefix: [0x30, 0x47, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x71, 0x04, 0x3b, 0x04, 0x39]
    )

    package struct PublicKey: Hashable, Sendable {
        /// The raw key, 57 bytes.
        package let rawRepresentation: [UInt8]

        init(unchecked raw: [UInt8]) { rawRepresentation = raw }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(Ed448.size, of: "Ed448 public key")
            self.rawRepresentation = rawRepresentation
        }

        /// Makes a key from the DER SubjectPublicKeyInfo of RFC 8410.
        package init(spki: some Collection<UInt8>) throws(CryptoError) {
            rawRepresentation = try Ed448.form.parse(spki: spki)
        }

        /// The DER SubjectPublicKeyInfo, 69 bytes.
        package var spki: [UInt8] { Ed448.form.spkiPrefix + rawRepresentation }

        /// Returns whether `signature` is a signature of `message` by this key; false for a wrong length.
        package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard signature.count == signatureSize,
                let key = try? EVPKey(type: EVP_PKEY_ED448, publicKey: rawRepresentation)
            else { return false }
            return key.isValidSignature(signature, for: message)
        }
    }

    /// A private key. Its bytes are overwritten when the last copy of the value is released.
    package struct PrivateKey: Hashable, Sendable {
        let secret: SecretBytes
        private let key: EVPKey
        package let publicKey: PublicKey

        /// Makes a random key.
        package init() throws(CryptoError) { try self.init(secret: .random(count: size)) }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try self.init(secret: SecretBytes(rawRepresentation))
        }

        /// Makes a key from the DER PKCS #8 form of RFC 8410.
        package init(pkcs8: some Collection<UInt8>) throws(CryptoError) {
            try self.init(secret: SecretBytes(Ed448.form.parse(pkcs8: pkcs8)))
        }

        init(secret: SecretBytes) throws(CryptoError) {
            try secret.requireCount(size, of: "Ed448 private key")
            self.secret = secret
            key = try EVPKey(type: EVP_PKEY_ED448, privateKey: secret)
            publicKey = PublicKey(unchecked: try key.publicBytes(count: size))
        }

        /// Returns the signature, 114 bytes.
        package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            try key.signMessage(message, count: signatureSize)
        }

        /// A copy of the raw key, 57 bytes. The copy is not overwritten when it is released.
        package var rawRepresentation: [UInt8] { secret.bytes }
        /// A copy of the DER PKCS #8 form, 73 bytes. The copy is not overwritten when it is released.
        package var pkcs8: [UInt8] { Ed448.form.pkcs8Prefix + secret.bytes }

        package static func == (a: PrivateKey, b: PrivateKey) -> Bool { a.secret == b.secret }
        package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
    }
}
