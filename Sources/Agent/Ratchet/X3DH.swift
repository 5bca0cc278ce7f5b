import SimpleXCrypto

/// What X3DH gives both sides: the beginning of a ratchet.
struct X3DH: Hashable, Sendable {
    /// Joiner's key 1 ‖ inviter's key 1, raw: authenticated with every message. Its hash is the security code.
    var associatedData: [UInt8]
    var ratchetKey: SecretBytes
    /// Header key of the joiner's first chain.
    var sndHeaderKey: SymmetricKey
    /// Header key of the inviter's first chain.
    var rcvNextHeaderKey: SymmetricKey

    /// The side that joins, after it has read the inviter's parameters. A KEM offer in them is declined.
    init(joining inviter: E2ERatchetParams, keys: E2EPrivateKeys) throws(RatchetError) {
        try self.init(
            joinerKey1: keys.key1.publicKey, inviterKey1: inviter.key1,
            (keys.key2, inviter.key1), (keys.key1, inviter.key2), (keys.key2, inviter.key2))
    }

    /// The side that invited, after it has received the joiner's parameters. It has offered no KEM, so that parameters
    /// which accept one are an error; an offer is declined.
    init(accepting joiner: E2ERatchetParams, keys: E2EPrivateKeys) throws(RatchetError) {
        if joiner.version >= .pqRatchet, case .accepted = joiner.kem { throw .kemState }
        try self.init(
            joinerKey1: joiner.key1, inviterKey1: keys.key1.publicKey,
            (keys.key1, joiner.key2), (keys.key2, joiner.key1), (keys.key2, joiner.key2))
    }

    private typealias Pair = (X448.PrivateKey, X448.PublicKey)

    private init(
        joinerKey1: X448.PublicKey, inviterKey1: X448.PublicKey, _ dh1: Pair, _ dh2: Pair, _ dh3: Pair
    ) throws(RatchetError) {
        associatedData = joinerKey1.rawRepresentation + inviterKey1.rawRepresentation
        (sndHeaderKey, rcvNextHeaderKey, ratchetKey) = try ratchetCrypto { () throws(CryptoError) in
            try RatchetKDF.x3dh(
                .concatenating(
                    try dh1.0.sharedSecret(with: dh1.1).secretBytes, try dh2.0.sharedSecret(with: dh2.1).secretBytes,
                    try dh3.0.sharedSecret(with: dh3.1).secretBytes))
        }
    }
}
