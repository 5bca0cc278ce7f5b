import SimpleXCrypto

/// The source of new keys for a ratchet: random keys, or given keys in conformance tests.
struct RatchetRandom {
    var makeDHKey: () throws(CryptoError) -> X448.PrivateKey
    var makeKEMKey: () throws(CryptoError) -> SNTRUP761.PrivateKey
    var encapsulate:
        (SNTRUP761.PublicKey) throws(CryptoError) -> (ciphertext: SNTRUP761.Ciphertext, sharedSecret: SecretBytes)

    static var systemRandom: RatchetRandom {
        RatchetRandom(
            makeDHKey: { () throws(CryptoError) in try dhKeys.takeKey() },
            makeKEMKey: { () throws(CryptoError) in try kemKeys.takeKey() },
            encapsulate: { key throws(CryptoError) in key.encapsulate() }
        )
    }

    private static let dhKeys = KeyReserve(capacity: 32) { () throws(CryptoError) in try X448.PrivateKey() }
    private static let kemKeys = KeyReserve(capacity: 8) { () throws(CryptoError) in SNTRUP761.PrivateKey() }
}
