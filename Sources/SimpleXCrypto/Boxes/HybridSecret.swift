/// The secret of a hybrid box: SHA3-256 over an X25519 secret and a KEM secret. The hybrid secret stays secure if one
/// of the two secrets becomes known.
package enum HybridSecret {
    package static func combineSecrets(_ dh: X25519.SharedSecret, kem: SecretBytes) throws(CryptoError) -> SymmetricKey
    {
        try SymmetricKey(SecretBytes(Digest.sha3_256(dh.rawRepresentation + kem.bytes)))
    }
}
