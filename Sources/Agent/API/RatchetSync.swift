/// State of agreement between the ratchets of both sides of a connection
/// (simplexmq `protocol/agent-protocol.md`, "EREADY message").
package enum RatchetSync: String, Hashable, Sendable {
    case ok
    /// A message could not be decrypted. The ratchet may be renegotiated.
    case allowed
    /// Messages cannot be decrypted any more. The ratchet must be renegotiated.
    case required
    /// This side has sent new keys to the peer.
    case started
    /// The new ratchet exists, but no message encrypted with it has arrived yet.
    case agreed

    /// Whether sending is prohibited in this state, because the peer cannot read the message (yet).
    var prohibitsSending: Bool {
        switch self {
        case .ok, .allowed: false
        case .required, .started, .agreed: true
        }
    }

    /// Determines the state after a failure to decrypt. If only one message is lost, the user decides about a
    /// renegotiation.
    init(after failure: AgentCryptoFailure) {
        self =
            switch failure {
            case .decryptAES, .decryptCB, .ratchetEarlier: .allowed
            case .ratchetHeader, .ratchetSkipped, .ratchetSync: .required
            }
    }
}

/// A change in the agreement between the ratchets of the two sides (``RatchetSync``).
package struct RatchetSyncChange: Hashable, Sendable {
    /// Number of the change. All later stored events of the agent have greater numbers. If the change is delivered
    /// again after a crash, the caller recognizes it by the number.
    package var changeNumber: Int64
    package var state: RatchetSync
    /// The decryption failure that has caused the change; nil for other changes.
    package var failure: AgentCryptoFailure?
    package var queueStates: ConnectionQueueStates
}
