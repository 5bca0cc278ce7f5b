import SimpleXCrypto

/// The state of a double ratchet with encrypted headers on one side. The functions `encrypt` and `decrypt` change this
/// value. The caller stores the changed value in the same transaction as the results.
///
/// Signal's "The Double Ratchet Algorithm", section 4, with the changes of simplexmq `protocol/pqdr.md`. Keys of
/// skipped messages are stored separately (`SkippedMessageKeys`), since there may be many, and they rarely change.
struct Ratchet: Hashable, Sendable {
    struct SendingChain: Hashable, Sendable {
        /// The public key of the peer from which this chain was derived.
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
        /// Whether headers are padded to the size that KEM parameters need. Once true, it stays true.
        var isSupported = false
        /// Whether the next DH step has to include a KEM.
        var isEnabled = false
        /// Whether the current sending chain was derived with a KEM secret.
        var isSending = false
        /// Whether the current receiving chain was derived with a KEM secret.
        var isReceiving = false

        /// Switches to the longer header if a KEM is enabled and the version supports it. The ratchet keeps the longer
        /// header.
        mutating func reserveHeaderSpace(at version: E2EVersion) {
            isSupported = isSupported || (version >= .pqRatchet && isEnabled)
        }
    }

    /// Whether the peer's messages are encrypted with a KEM secret, or will be as soon as the peer receives a message
    /// of this side. Until then the peer uses its first chain, which has no KEM.
    var receivesPostQuantum: Bool { postQuantum.isReceiving || pn == 0 && postQuantum.isSending }

    var versions: RatchetVersions
    /// Data that every message authenticates: 112 bytes.
    let associatedData: [UInt8]
    var ownDHKey: X448.PrivateKey
    var postQuantum = PostQuantum()
    var kem: RatchetKEM?
    var rootKey: SecretBytes
    /// The sending chain; nil at the inviter before its first received message.
    var sendingChain: SendingChain?
    var receivingChain: ReceivingChain?
    /// Number of the next message in the sending chain.
    var ns: UInt32 = 0
    /// Number of the next message in the receiving chain.
    var nr: UInt32 = 0
    /// Number of messages in the previous sending chain.
    var pn: UInt32 = 0
    var nextSndHeaderKey: SymmetricKey
    var nextRcvHeaderKey: SymmetricKey

    /// Makes the joiner's ratchet, which can send immediately.
    /// - Parameters:
    ///   - inviter: the parameters of the connection request, in the agreed version.
    ///   - maxSupported: the highest version that this program supports.
    init(
        joining inviter: E2ERatchetParams,
        keys: E2EPrivateKeys,
        maxSupported: E2EVersion = .current,
        random: RatchetRandom = .systemRandom
    ) throws(RatchetError) {
        let start = try X3DH(joining: inviter, keys: keys)
        let dhSelf = try withRatchetErrors(random.makeDHKey)
        let secret = start.kem?.acceptedKEM?.sharedSecret
        let step = try withRatchetErrors { () throws(CryptoError) in
            try RatchetKDF.deriveRootKeys(start.ratchetKey, dh: dhSelf.sharedSecret(with: inviter.key2), kem: secret)
        }
        versions = RatchetVersions(current: inviter.version, maxSupported: maxSupported)
        associatedData = start.associatedData
        self.ownDHKey = dhSelf
        kem = start.kem
        postQuantum = PostQuantum(isSupported: kem != nil, isEnabled: kem != nil, isSending: secret != nil)
        rootKey = step.rootKey
        sendingChain = SendingChain(peerDH: inviter.key2, chainKey: step.chainKey, headerKey: start.joinerHeaderKey)
        nextSndHeaderKey = step.nextHeaderKey
        nextRcvHeaderKey = start.inviterHeaderKey
    }

    /// Makes the inviter's ratchet, which can send only after its first received message.
    /// - Parameter pqSupported: whether this side wants post-quantum encryption, with or without a KEM in the
    ///   invitation.
    init(
        accepting joiner: E2ERatchetParams,
        keys: E2EPrivateKeys,
        pqSupported: Bool = false,
        maxSupported: E2EVersion = .current
    ) throws(RatchetError) {
        let start = try X3DH(accepting: joiner, keys: keys)
        versions = RatchetVersions(current: joiner.version, maxSupported: maxSupported)
        associatedData = start.associatedData
        ownDHKey = keys.key2
        kem = start.kem
        postQuantum = PostQuantum(isSupported: pqSupported, isEnabled: pqSupported)
        rootKey = start.ratchetKey
        nextSndHeaderKey = start.inviterHeaderKey
        nextRcvHeaderKey = start.joinerHeaderKey
    }
}
