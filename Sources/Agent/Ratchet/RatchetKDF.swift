import SimpleXCrypto

/// Key of a message body and its 16-byte IV.
struct MessageKey: Hashable, Sendable {
    var key: SymmetricKey
    var iv: [UInt8]
}

/// The three key derivations of the ratchet: HKDF-SHA512 with 96 bytes of output.
enum RatchetKDF {
    /// Derives the initial keys of a ratchet after X3DH.
    static func deriveX3DHKeys(
        _ secrets: SecretBytes
    ) throws(CryptoError) -> (
        joinerHeaderKey: SymmetricKey, inviterHeaderKey: SymmetricKey, ratchetKey: SecretBytes
    ) {
        let output = HKDF.sha512(salt: x3dhSalt, ikm: secrets, info: x3dhInfo, count: 96)
        return (try SymmetricKey(output[0..<32]), try SymmetricKey(output[32..<64]), output[64..<96])
    }

    /// Derives keys at a DH step: the next root key, the key of a new chain, and the header key of the chain after the
    /// new chain.
    /// - Parameter kem: the secret of the KEM step; nil without a KEM.
    static func deriveRootKeys(
        _ rootKey: SecretBytes,
        dh: X448.SharedSecret,
        kem: SecretBytes? = nil
    ) throws(CryptoError) -> (rootKey: SecretBytes, chainKey: SecretBytes, nextHeaderKey: SymmetricKey) {
        let secret = kem.map { .concatenating(dh.secretBytes, $0) } ?? dh.secretBytes
        let output = HKDF.sha512(salt: rootKey, ikm: secret, info: rootInfo, count: 96)
        return (output[0..<32], output[32..<64], try SymmetricKey(output[64..<96]))
    }

    /// Derives the keys of one message of a chain. In the output, the IV of the message comes before the IV of the
    /// header.
    static func deriveMessageKeys(
        _ chainKey: SecretBytes
    ) throws(CryptoError) -> (chainKey: SecretBytes, message: MessageKey, headerIV: [UInt8]) {
        let output = HKDF.sha512(salt: [], ikm: chainKey, info: chainInfo, count: 96)
        let message = MessageKey(key: try SymmetricKey(output[32..<64]), iv: output[64..<80].bytes)
        return (output[0..<32], message, output[80..<96].bytes)
    }

    private static let x3dhSalt = [UInt8](repeating: 0, count: 64)
    private static let x3dhInfo = Array("SimpleXX3DH".utf8)
    private static let rootInfo = Array("SimpleXRootRatchet".utf8)
    private static let chainInfo = Array("SimpleXChainRatchet".utf8)
}
