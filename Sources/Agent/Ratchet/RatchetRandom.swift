import SimpleXCrypto

/// Where a ratchet draws its new keys: the system's generator, or given keys in conformance tests.
struct RatchetRandom {
    var dhKey: () throws(CryptoError) -> X448.PrivateKey

    static var system: RatchetRandom {
        RatchetRandom(dhKey: { () throws(CryptoError) in try X448.PrivateKey() })
    }
}
