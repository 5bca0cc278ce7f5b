import CSodium

/// Signatures over edwards25519 (RFC 8032).
package enum Ed25519 {
    /// Number of bytes of a raw key.
    package static let size = 32
    /// Number of bytes of a signature.
    package static let signatureSize = 64
    static let form = KeyForm(
        size: 32,
        spkiPrefix: [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00],
        pkcs8Prefix: [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
    )

    package struct PublicKey: Hashable, Sendable {
        /// The raw key, 32 bytes.
        package let rawRepresentation: [UInt8]

        init(unchecked raw: [UInt8]) { rawRepresentation = raw }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(Ed25519.size, of: "Ed25519 public key")
            self.rawRepresentation = rawRepresentation
        }

        /// Makes a key from the DER SubjectPublicKeyInfo of RFC 8410.
        package init(spki: some Collection<UInt8>) throws(CryptoError) {
            rawRepresentation = try Ed25519.form.parse(spki: spki)
        }

        /// The DER SubjectPublicKeyInfo, 44 bytes.
        package var spki: [UInt8] { Ed25519.form.spkiPrefix + rawRepresentation }

        /// Returns whether `signature` is a signature of `message` by this key; false for a wrong length.
        package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard signature.count == signatureSize else { return false }
            Sodium.prepare()
            return crypto_sign_verify_detached(signature, message, UInt64(message.count), rawRepresentation) == 0
        }
    }

    /// A private key. Its bytes are overwritten when the last copy of the value is released.
    package struct PrivateKey: Hashable, Sendable {
        let secret: SecretBytes

        /// Makes a random key.
        package init() throws(CryptoError) { try self.init(secret: .random(count: size)) }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try self.init(secret: SecretBytes(rawRepresentation))
        }

        /// Makes a key from the DER PKCS #8 form of RFC 8410.
        package init(pkcs8: some Collection<UInt8>) throws(CryptoError) {
            try self.init(secret: SecretBytes(Ed25519.form.parse(pkcs8: pkcs8)))
        }

        init(secret: SecretBytes) throws(CryptoError) {
            try secret.requireCount(size, of: "Ed25519 private key")
            Sodium.prepare()
            self.secret = secret
        }

        /// The public key, and the form of the key with which libsodium signs (seed ‖ public key). They are computed by
        /// a scalar multiplication when needed, since many stored keys are loaded but not used.
        private var expandedKey: (publicKey: PublicKey, secret: SecretBytes) {
            var point = [UInt8](repeating: 0, count: size)
            let expanded = SecretBytes.filled(
                count: 64,
                { out in
                    secret.withPointer { _ = crypto_sign_seed_keypair(&point, out, $0) }
                }
            )
            return (PublicKey(unchecked: point), expanded)
        }

        package var publicKey: PublicKey { expandedKey.publicKey }

        /// Returns the signature, 64 bytes.
        package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            var signature = [UInt8](repeating: 0, count: signatureSize)
            expandedKey.secret.withPointer {
                _ = crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0)
            }
            return signature
        }

        /// A copy of the raw key, 32 bytes. The copy is not overwritten when it is released.
        package var rawRepresentation: [UInt8] { secret.bytes }
        /// A copy of the DER PKCS #8 form, 48 bytes. The copy is not overwritten when it is released.
        package var pkcs8: [UInt8] { Ed25519.form.pkcs8Prefix + secret.bytes }

        package static func == (a: PrivateKey, b: PrivateKey) -> Bool { a.secret == b.secret }
        package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
    }
}
