import COpenSSL

/// Diffie-Hellman over Curve448 (RFC 7748): X3DH key agreement and the double ratchet.
package enum X448 {
    /// Number of bytes of a raw key.
    package static let size = 56
    static let form = KeyForm(
        size: 56,
        spkiPrefix: [0x30, 0x42, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6f, 0x03, 0x39, 0x00],
        pkcs8Prefix: [0x30, 0x46, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6f, 0x04, 0x3a, 0x04, 0x38]
    )

    package struct PublicKey: Hashable, Sendable {
        /// The raw key, 56 bytes.
        package let rawRepresentation: [UInt8]

        init(unchecked raw: [UInt8]) { rawRepresentation = raw }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(X448.size, of: "X448 public key")
            self.rawRepresentation = rawRepresentation
        }

        /// Makes a key from the DER SubjectPublicKeyInfo of RFC 8410.
        package init(spki: some Collection<UInt8>) throws(CryptoError) {
            rawRepresentation = try X448.form.parse(spki: spki)
        }

        /// The DER SubjectPublicKeyInfo, 68 bytes.
        package var spki: [UInt8] { X448.form.spkiPrefix + rawRepresentation }
    }

    /// A private key. Its bytes are overwritten when the last copy of the value is released.
    package struct PrivateKey: Hashable, Sendable {
        let secret: SecretBytes
        package let publicKey: PublicKey

        /// Makes a random key.
        package init() throws(CryptoError) { try self.init(secret: .random(count: size)) }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try self.init(secret: SecretBytes(rawRepresentation))
        }

        /// Makes a key from the DER PKCS #8 form of RFC 8410.
        package init(pkcs8: some Collection<UInt8>) throws(CryptoError) {
            try self.init(secret: SecretBytes(X448.form.parse(pkcs8: pkcs8)))
        }

        init(secret: SecretBytes) throws(CryptoError) {
            try secret.requireCount(size, of: "X448 private key")
            self.secret = secret
            let key = try EVPKey(type: EVP_PKEY_X448, privateKey: secret)
            publicKey = PublicKey(unchecked: try key.publicBytes(count: size))
        }

        /// Makes a stored key with its public key, which is not checked. So no scalar multiplication is needed to
        /// compute the public key.
        package init(rawRepresentation: [UInt8], publicKey: PublicKey) throws(CryptoError) {
            try rawRepresentation.requireCount(size, of: "X448 private key")
            secret = SecretBytes(rawRepresentation)
            self.publicKey = publicKey
        }

        /// Computes the Diffie-Hellman secret. Throws `weakSharedSecret` for a peer's key of small order.
        package func sharedSecret(with peer: PublicKey) throws(CryptoError) -> SharedSecret {
            let key = try EVPKey(algorithm: "X448", privateKey: secret, publicKey: publicKey.rawRepresentation)
            let peerKey = try EVPKey(type: EVP_PKEY_X448, publicKey: peer.rawRepresentation)
            return SharedSecret(secret: try key.deriveSecret(with: peerKey, count: size))
        }

        /// A copy of the raw key, 56 bytes. The copy is not overwritten when it is released.
        package var rawRepresentation: [UInt8] { secret.bytes }
        /// A copy of the DER PKCS #8 form, 72 bytes. The copy is not overwritten when it is released.
        package var pkcs8: [UInt8] { X448.form.pkcs8Prefix + secret.bytes }

        package static func == (a: PrivateKey, b: PrivateKey) -> Bool { a.secret == b.secret }
        package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
    }

    /// The result of Diffie-Hellman, 56 bytes.
    package struct SharedSecret: Hashable, Sendable {
        let secret: SecretBytes

        package var rawRepresentation: [UInt8] { secret.bytes }
        /// The 56 bytes of the result, as a secret for key derivation.
        package var secretBytes: SecretBytes { secret }
    }
}
