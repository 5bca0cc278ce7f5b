/// The encryption inside the KEM, and the hashes of the KEM (round 3 submission, sections 3.3 and 3.4).
enum Encapsulation {
    /// Returns the SHA-512 hash of `prefix` and `bytes`, truncated to 32 bytes. Each use of the hash has its own
    /// prefix.
    static func prefixedHash(_ prefix: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        Array(Digest.sha512([prefix] + bytes).prefix(32))
    }

    private static func prefixedHash(_ prefix: UInt8, _ secret: SecretBytes, followedBy bytes: [UInt8] = []) -> [UInt8]
    {
        let input = SecretBytes.concatenating(SecretBytes([prefix]), secret, SecretBytes(bytes))
        return input.withBytes { Array(Digest.sha512($0).prefix(32)) }
    }

    /// Returns the ciphertext of `input`: the rounded product with the public key, and a confirmation of the input.
    /// - Parameter keyHash: the hash of the public key.
    static func encryptInput(
        _ input: Ternary,
        _ encodedInput: SecretBytes,
        for publicKey: [UInt8],
        hash keyHash: [UInt8]
    ) -> [UInt8] {
        let rounded = Polynomial.product(Polynomial(decoding: publicKey), input).rounded
        return rounded.encodedRounded + prefixedHash(2, prefixedHash(3, encodedInput) + keyHash)
    }

    /// Returns the session key.
    /// - Parameter prefix: 1 for an accepted ciphertext, 0 for a rejected ciphertext.
    static func makeSessionKey(_ prefix: UInt8, _ encodedInput: SecretBytes, _ ciphertext: [UInt8]) -> SecretBytes {
        SecretBytes(prefixedHash(prefix, SecretBytes(prefixedHash(3, encodedInput)), followedBy: ciphertext))
    }

    /// Returns the input that was encrypted to `ciphertext`. For an invalid ciphertext, returns a fixed input of the
    /// right weight.
    static func decryptInput(_ ciphertext: [UInt8], f: Ternary, inverseOfG: Ternary) -> Ternary {
        let product = Polynomial.product(Polynomial(decodingRounded: Array(ciphertext.prefix(1007))), f)
        let candidate = product.timesThree.modulo3.product(inverseOfG)
        // The mask is 0 if the candidate has the right weight, otherwise -1.
        let isWrong = candidate.weightMask
        var input = candidate
        for index in 0..<PrimeRing.degree {
            let standard: Int16 = index < PrimeRing.weight ? 1 : 0
            input.coefficients[index] = (candidate.coefficients[index] ^ standard) & ~isWrong ^ standard
        }
        return input
    }
}
