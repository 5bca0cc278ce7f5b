import SimpleXCrypto

/// Where a ratchet draws its new keys: the system's generator, or given keys in conformance tests.
struct RatchetRandom {
    var dhKey: () throws(CryptoError) -> X448.PrivateKey
    var kemKey: () throws(CryptoError) -> SNTRUP761.PrivateKey
    var encapsulate: (SNTRUP761.PublicKey) throws(CryptoError) -> (ciphertext: SNTRUP761.Ciphertext, sharedSecret: SecretBytes)

    static var system: RatchetRandom {
        RatchetRandom(
            dhKey: { () throws(CryptoError) in try X448.PrivateKey() }, kemKey: { () throws(CryptoError) in SNTRUP761.PrivateKey() },
            encapsulate: { key throws(CryptoError) in key.encapsulate() })
    }
}
