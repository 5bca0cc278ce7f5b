import CSodium

/// Diffie-Hellman over Curve25519 (RFC 7748): encryption for each queue, and deniable authorization of commands.
package enum X25519 {
    /// Number of bytes of a raw key.
    package static let size = 32
    static let form = KeyForm(
        size: 32,
        spkiPrefix: [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21, 0x00],
        pkcs8Prefix: [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20]
    )

    package struct PublicKey: Hashable, Sendable {
        /// The raw key, 32 bytes.
        package let rawRepresentation: [UInt8]

        init(unchecked raw: [UInt8]) { rawRepresentation = raw }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(X25519.size, of: "X25519 public key")
            self.rawRepresentation = rawRepresentation
        }

        /// Makes a key from the DER SubjectPublicKeyInfo of RFC 8410.
        package init(spki: some Collection<UInt8>) throws(CryptoError) {
            rawRepresentation = try X25519.form.parse(spki: spki)
        }

        /// The DER SubjectPublicKeyInfo, 44 bytes.
        package var spki: [UInt8] { X25519.form.spkiPrefix + rawRepresentation }
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
            try self.init(secret: SecretBytes(X25519.form.parse(pkcs8: pkcs8)))
        }

        init(secret: SecretBytes) throws(CryptoError) {
            try secret.requireCount(size, of: "X25519 private key")
            Sodium.prepare()
            self.secret = secret
        }

        /// The public key. Each call computes the public key by a scalar multiplication, because most loaded keys are
        /// used without their public keys.
        package var publicKey: PublicKey {
            var point = [UInt8](repeating: 0, count: size)
            secret.withPointer { _ = crypto_scalarmult_base(&point, $0) }
            return PublicKey(unchecked: point)
        }

        /// Computes the Diffie-Hellman secret. Throws `weakSharedSecret` for a peer's key of small order.
        package func sharedSecret(with peer: PublicKey) throws(CryptoError) -> SharedSecret {
            var done = false
            let shared = SecretBytes.filled(
                count: size,
                { out in
                    done = secret.withPointer { crypto_scalarmult(out, $0, peer.rawRepresentation) } == 0
                }
            )
            guard done else { throw .weakSharedSecret }
            return SharedSecret(unchecked: shared)
        }

        /// A copy of the raw key, 32 bytes. The copy is not overwritten when it is released.
        package var rawRepresentation: [UInt8] { secret.bytes }
        /// A copy of the DER PKCS #8 form, 48 bytes. The copy is not overwritten when it is released.
        package var pkcs8: [UInt8] { X25519.form.pkcs8Prefix + secret.bytes }

        package static func == (a: PrivateKey, b: PrivateKey) -> Bool { a.secret == b.secret }
        package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
    }

    /// The result of Diffie-Hellman, 32 bytes. It contains the key of `CryptoBox`, which is derived once.
    package struct SharedSecret: Hashable, Sendable {
        let secret: SecretBytes
        let boxKey: BoxKey

        init(unchecked secret: SecretBytes) {
            self.secret = secret
            boxKey = BoxKey(deriving: secret)
        }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(X25519.size, of: "X25519 shared secret")
            self.init(unchecked: SecretBytes(rawRepresentation))
        }

        package var rawRepresentation: [UInt8] { secret.bytes }
        /// The 32 bytes of the result, as a secret for key derivation.
        package var secretBytes: SecretBytes { secret }

        package static func == (a: SharedSecret, b: SharedSecret) -> Bool { a.secret == b.secret }
        package func hash(into hasher: inout Hasher) { hasher.combine(secret) }
    }
}
