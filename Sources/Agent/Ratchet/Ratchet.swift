import SimpleXCrypto

/// One side of a double ratchet with encrypted headers, as a value: `encrypt` and `decrypt` change it, and the caller
/// stores it in the transaction that also stores their results.
///
/// Signal's "The Double Ratchet Algorithm", section 4, with the changes of simplexmq `protocol/pqdr.md`. Keys of
/// skipped messages are stored separately (`SkippedMessageKeys`), since there may be many and they rarely change.
struct Ratchet: Hashable, Sendable {
    struct SendingChain: Hashable, Sendable {
        /// The key of the peer that this chain was derived with.
        var peerDH: X448.PublicKey
        var chainKey: SecretBytes
        var headerKey: SymmetricKey
    }

    struct ReceivingChain: Hashable, Sendable {
        var chainKey: SecretBytes
        var headerKey: SymmetricKey
    }

    /// State of post-quantum encryption in this ratchet.
    struct PostQuantum: Hashable, Sendable {
        /// Headers are padded to the size that KEM parameters need. Never taken back.
        var supported = false
        /// The next DH step is to have a KEM.
        var enabled = false
        /// The current chains were derived with a KEM secret.
        var sending = false
        var receiving = false

        /// Once enabled at a version with KEM, the longer header stays.
        mutating func support(at version: E2EVersion) {
            supported = supported || (version >= .pqRatchet && enabled)
        }
    }

    /// Whether messages of the peer have a KEM, or will have one as soon as the peer has a message of this side. Until
    /// then the peer keeps to its first chain, which has none.
    var receivesPostQuantum: Bool { postQuantum.receiving || pn == 0 && postQuantum.sending }

    var versions: RatchetVersions
    /// Authenticated with every message; 112 bytes.
    let associatedData: [UInt8]
    var dhSelf: X448.PrivateKey
    var postQuantum = PostQuantum()
    var kem: RatchetKEM?
    var rootKey: SecretBytes
    /// Missing at the inviter before its first received message.
    var snd: SendingChain?
    var rcv: ReceivingChain?
    /// Number of the next message to send, and of the next to receive.
    var ns: UInt32 = 0
    var nr: UInt32 = 0
    /// Length of the sending chain before this one.
    var pn: UInt32 = 0
    var nextSndHeaderKey: SymmetricKey
    var nextRcvHeaderKey: SymmetricKey

    /// The joiner's ratchet, which can send at once.
    /// - Parameters:
    ///   - inviter: the parameters of the connection request, at the agreed version.
    ///   - maxSupported: the highest version this program speaks.
    init(
        joining inviter: E2ERatchetParams,
        keys: E2EPrivateKeys,
        maxSupported: E2EVersion = .current,
        random: RatchetRandom = .system
    ) throws(RatchetError) {
        let start = try X3DH(joining: inviter, keys: keys)
        let dhSelf = try ratchetCrypto(random.dhKey)
        let secret = start.kem?.accepted?.sharedSecret
        let step = try ratchetCrypto { () throws(CryptoError) in
            try RatchetKDF.root(start.ratchetKey, dh: dhSelf.sharedSecret(with: inviter.key2), kem: secret)
        }
        versions = RatchetVersions(current: inviter.version, maxSupported: maxSupported)
        associatedData = start.associatedData
        self.dhSelf = dhSelf
        kem = start.kem
        postQuantum = PostQuantum(supported: kem != nil, enabled: kem != nil, sending: secret != nil)
        rootKey = step.rootKey
        snd = SendingChain(peerDH: inviter.key2, chainKey: step.chainKey, headerKey: start.sndHeaderKey)
        nextSndHeaderKey = step.nextHeaderKey
        nextRcvHeaderKey = start.rcvNextHeaderKey
    }

    /// The inviter's ratchet, which sends only after its first received message.
    /// - Parameter pqSupported: this side wants post-quantum encryption, whether or not the invitation had a KEM.
    init(
        accepting joiner: E2ERatchetParams,
        keys: E2EPrivateKeys,
        pqSupported: Bool = false,
        maxSupported: E2EVersion = .current
    ) throws(RatchetError) {
        let start = try X3DH(accepting: joiner, keys: keys)
        versions = RatchetVersions(current: joiner.version, maxSupported: maxSupported)
        associatedData = start.associatedData
        dhSelf = keys.key2
        kem = start.kem
        postQuantum = PostQuantum(supported: pqSupported, enabled: pqSupported)
        rootKey = start.ratchetKey
        nextSndHeaderKey = start.rcvNextHeaderKey
        nextRcvHeaderKey = start.sndHeaderKey
    }
}
