import SimpleXCrypto

/// The result of X3DH: the initial state of a ratchet. The state is protected by post-quantum encryption too if the
/// joiner has accepted a KEM.
struct X3DH: Hashable, Sendable {
    /// Joiner's raw key 1 ‖ inviter's raw key 1. Every message authenticates this data, and its hash is the security
    /// code.
    var associatedData: [UInt8]
    var ratchetKey: SecretBytes
    /// Header key of the joiner's first chain.
    var joinerHeaderKey: SymmetricKey
    /// Header key of the inviter's first chain.
    var inviterHeaderKey: SymmetricKey
    /// The initial KEM state of this side.
    var kem: RatchetKEM?

    /// Computes the result on the joining side, after it has read the inviter's parameters. The joiner accepts or
    /// declines the inviter's KEM, or proposes a KEM.
    init(joining inviter: E2ERatchetParams, keys: E2EPrivateKeys) throws(RatchetError) {
        try self.init(
            joinerKey1: keys.key1.publicKey,
            inviterKey1: inviter.key1,
            (keys.key2, inviter.key1),
            (keys.key1, inviter.key2),
            (keys.key2, inviter.key2),
            kem: Self.makeJoinerKEM(inviter, keys)
        )
    }

    private static func makeJoinerKEM(
        _ inviter: E2ERatchetParams,
        _ keys: E2EPrivateKeys
    ) throws(RatchetError) -> RatchetKEM? {
        guard inviter.version >= .pqRatchet, let kem = keys.kem else { return nil }
        switch kem {
        // A proposal of the peer has no effect, because both sides may propose a KEM when a ratchet is renegotiated.
        case .proposed(let own): return RatchetKEM(ownKey: own)
        case .accepted(let ciphertext, let sharedSecret, let own):
            guard let parameters = inviter.kem, case .proposed = parameters else { throw .unexpectedKEM }
            let peerKey = try parameters.parseValues().publicKey
            return RatchetKEM(
                ownKey: own,
                acceptedKEM: .init(peerKey: peerKey, sharedSecret: sharedSecret, ciphertext: ciphertext)
            )
        }
    }

    /// Computes the result on the inviting side, after it has received the joiner's parameters. Throws `unexpectedKEM`
    /// when the joiner accepts a KEM that this side has not proposed. If the joiner proposes a KEM, the first step of
    /// the ratchet answers the proposal.
    init(accepting joiner: E2ERatchetParams, keys: E2EPrivateKeys) throws(RatchetError) {
        try self.init(
            joinerKey1: joiner.key1,
            inviterKey1: keys.key1.publicKey,
            (keys.key1, joiner.key2),
            (keys.key2, joiner.key1),
            (keys.key2, joiner.key2),
            kem: Self.makeInviterKEM(joiner, keys)
        )
    }

    private static func makeInviterKEM(
        _ joiner: E2ERatchetParams,
        _ keys: E2EPrivateKeys
    ) throws(RatchetError) -> RatchetKEM? {
        guard joiner.version >= .pqRatchet, let parameters = joiner.kem, case .accepted = parameters else { return nil }
        guard case .proposed(let own) = keys.kem else { throw .unexpectedKEM }
        let (received, peerKey) = try parameters.parseValues()
        guard let ciphertext = received else { throw .unexpectedKEM }
        return RatchetKEM(
            ownKey: own,
            acceptedKEM: .init(peerKey: peerKey, sharedSecret: own.decapsulate(ciphertext), ciphertext: ciphertext)
        )
    }

    private typealias KeyPair = (X448.PrivateKey, X448.PublicKey)

    private init(
        joinerKey1: X448.PublicKey,
        inviterKey1: X448.PublicKey,
        _ dh1: KeyPair,
        _ dh2: KeyPair,
        _ dh3: KeyPair,
        kem: RatchetKEM?
    ) throws(RatchetError) {
        self.kem = kem
        associatedData = joinerKey1.rawRepresentation + inviterKey1.rawRepresentation
        (joinerHeaderKey, inviterHeaderKey, ratchetKey) = try withRatchetErrors { () throws(CryptoError) in
            try RatchetKDF.deriveX3DHKeys(
                .concatenating(
                    try dh1.0.sharedSecret(with: dh1.1).secretBytes,
                    try dh2.0.sharedSecret(with: dh2.1).secretBytes,
                    try dh3.0.sharedSecret(with: dh3.1).secretBytes,
                    kem?.acceptedKEM?.sharedSecret ?? SecretBytes([])
                )
            )
        }
    }
}
