/// Streamlined NTRU Prime, sntrup761: the post-quantum key encapsulation of the hybrid ratchet and of remote control.
///
/// Written from the NTRU Prime submission (round 3, "NTRU Prime: round 3", 2020: section 3 for the algorithms, section
/// 4 for the encodings). The time is constant for all secrets: no branch or index depends on a secret. A changed
/// ciphertext is rejected implicitly: it results in another shared secret, not in an error.
package enum SNTRUP761 {
    /// Number of bytes of an encoded public key.
    package static let publicKeySize = 1158
    /// Number of bytes of an encoded private key, which contains the public key.
    package static let privateKeySize = 1763
    /// Number of bytes of a ciphertext.
    package static let ciphertextSize = 1039

    package struct PublicKey: Hashable, Sendable {
        /// The encoded key, 1158 bytes.
        package let rawRepresentation: [UInt8]

        init(unchecked raw: [UInt8]) { rawRepresentation = raw }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(SNTRUP761.publicKeySize, of: "sntrup761 public key")
            self.rawRepresentation = rawRepresentation
        }

        /// Makes a shared secret, and the ciphertext from which the owner of the private key computes the same secret.
        package func encapsulate() -> (ciphertext: Ciphertext, sharedSecret: SecretBytes) {
            encapsulate(random: SecretBytes.random)
        }

        /// Makes a shared secret and its ciphertext from given random bytes, for tests.
        /// - Parameter random: returns the given number of random bytes.
        func encapsulate(random: (Int) -> SecretBytes) -> (ciphertext: Ciphertext, sharedSecret: SecretBytes) {
            let input = Ternary.makeShort(random: random)
            let encodedInput = input.encoded
            let ciphertext = Encapsulation.encryptInput(
                input,
                encodedInput,
                for: rawRepresentation,
                hash: Encapsulation.prefixedHash(4, rawRepresentation)
            )
            return (Ciphertext(unchecked: ciphertext), Encapsulation.makeSessionKey(1, encodedInput, ciphertext))
        }
    }

    package struct Ciphertext: Hashable, Sendable {
        /// The encoded ciphertext, 1039 bytes.
        package let rawRepresentation: [UInt8]

        init(unchecked raw: [UInt8]) { rawRepresentation = raw }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try rawRepresentation.requireCount(SNTRUP761.ciphertextSize, of: "sntrup761 ciphertext")
            self.rawRepresentation = rawRepresentation
        }
    }

    /// A private key. Its bytes are overwritten when the last copy of the value is released.
    package struct PrivateKey: Hashable, Sendable {
        /// The encoded key: f (191 bytes), 1/g (191), the public key (1158), the input for implicit rejection (191),
        /// and a hash of the public key (32).
        private let secret: SecretBytes
        package let publicKey: PublicKey

        /// Makes a random key.
        package init() { self.init(random: SecretBytes.random) }

        /// Makes a key from given random bytes, for tests.
        /// - Parameter random: returns the given number of random bytes.
        init(random: (Int) -> SecretBytes) {
            var g: Ternary, inverseOfG: Ternary?
            repeat {
                g = Ternary.makeRandom(random: random)
                inverseOfG = g.inverse
            } while inverseOfG == nil
            let f = Ternary.makeShort(random: random)
            // 3f always has an inverse: x^p - x - 1 is irreducible modulo q.
            let h = Polynomial.product(Polynomial.computeInverseOfThree(times: f), g)
            publicKey = PublicKey(unchecked: h.encoded)
            secret = SecretBytes.concatenating(
                f.encoded,
                inverseOfG?.encoded ?? SecretBytes([]),
                SecretBytes(publicKey.rawRepresentation),
                random(Ternary.encodedSize),
                SecretBytes(Encapsulation.prefixedHash(4, publicKey.rawRepresentation))
            )
        }

        package init(rawRepresentation: [UInt8]) throws(CryptoError) {
            try self.init(secret: SecretBytes(rawRepresentation))
        }

        package init(secret: SecretBytes) throws(CryptoError) {
            guard secret.count == SNTRUP761.privateKeySize else {
                throw .invalidLength(
                    of: "sntrup761 private key",
                    expected: SNTRUP761.privateKeySize,
                    actual: secret.count
                )
            }
            self.secret = secret
            publicKey = PublicKey(unchecked: secret[382..<1540].bytes)
        }

        /// The encoded key, 1763 bytes.
        package var rawRepresentation: SecretBytes { secret }

        /// Returns the shared secret of a ciphertext for this key.
        package func decapsulate(_ ciphertext: Ciphertext) -> SecretBytes {
            let f = Ternary(decoding: secret[0..<191]), inverseOfG = Ternary(decoding: secret[191..<382])
            let input = Encapsulation.decryptInput(ciphertext.rawRepresentation, f: f, inverseOfG: inverseOfG)
            let encodedInput = input.encoded
            let again = Encapsulation.encryptInput(
                input,
                encodedInput,
                for: publicKey.rawRepresentation,
                hash: secret[1731..<1763].bytes
            )
            // `differs` is 0 if encrypting this input again results in the same ciphertext, otherwise 255. The value
            // 255 selects the input for implicit rejection. The choice stays secret.
            let difference = zip(again, ciphertext.rawRepresentation).reduce(UInt32(0)) { $0 | UInt32($1.0 ^ $1.1) }
            let differs = UInt8(truncatingIfNeeded: (0 &- difference) &>> 31) &* 255
            let chosen = encodedInput.withBytes { own in
                secret[1540..<1731].withBytes { rejecting in
                    SecretBytes(count: Ternary.encodedSize) { out in
                        for index in out.indices {
                            out[index] = own[index] ^ (differs & (own[index] ^ rejecting[index]))
                        }
                    }
                }
            }
            return Encapsulation.makeSessionKey(1 &+ differs, chosen, ciphertext.rawRepresentation)
        }
    }
}
