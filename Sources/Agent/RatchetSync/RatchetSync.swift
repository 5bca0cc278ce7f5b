/// State of agreement between the ratchets of both sides of a connection
/// (simplexmq `protocol/agent-protocol.md`, "EREADY message").
public enum RatchetSync: String, Hashable, Sendable {
    case ok
    /// A message did not decrypt: the ratchet may be renegotiated.
    case allowed
    /// Messages cannot be decrypted any more: the ratchet must be renegotiated.
    case required
    /// New keys are on their way to the peer.
    case started
    /// The new ratchet exists, and no message of it has arrived yet.
    case agreed

    /// Nothing is sent in these states: the peer could not, or not yet, read it.
    var prohibitsSending: Bool {
        switch self {
        case .ok, .allowed: false
        case .required, .started, .agreed: true
        }
    }

    /// The state after a failure to decrypt. If only one message is lost, the user decides.
    init(after failure: AgentCryptoFailure) {
        self =
            switch failure {
            case .decryptAES, .decryptCB, .ratchetEarlier: .allowed
            case .ratchetHeader, .ratchetSkipped, .ratchetSync: .required
            }
    }
}

/// A change of ``RatchetSync``.
public struct RatchetSyncChange: Hashable, Sendable {
    /// Larger than the number of every earlier change of any kind. A change that is delivered again after a crash is
    /// recognized by it.
    public var number: Int64
    public var state: RatchetSync
    /// The failure to decrypt that has led to it.
    public var failure: AgentCryptoFailure?
    public var servers: ConnectionServers
}
