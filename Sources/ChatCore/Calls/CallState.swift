internal import ChatAPI
internal import ChatStore
internal import SimpleXCrypto

/// The state of the negotiation of a call, with the data that the next steps need. The state is stored as JSON.
enum CallState: Codable, Hashable, Sendable {
    /// The user has called the contact. `privateKey` exists if the user's program encrypts the media. All keys in the
    /// states are raw bytes as base64url.
    case invitationSent(own: CallType, privateKey: String?)
    /// The contact has called the user. `publicKey` is the key that the user's offer sends to the contact
    /// (`callDhPubKey`); nil if the contact's program does not encrypt the media.
    case invitationReceived(peer: CallType, publicKey: String?, sharedKey: String?)
    case offerSent(own: CallType, peer: CallType, ownSession: WebRTCSession, sharedKey: String?)
    case offerReceived(own: CallType, peer: CallType, peerSession: WebRTCSession, sharedKey: String?)
    case negotiated(
        own: CallType,
        peer: CallType,
        ownSession: WebRTCSession,
        peerSession: WebRTCSession,
        sharedKey: String?
    )

    var tag: CallStateTag {
        switch self {
        case .invitationSent: .invitationSent
        case .invitationReceived: .invitationReceived
        case .offerSent: .offerSent
        case .offerReceived: .offerReceived
        case .negotiated: .negotiated
        }
    }

    /// The name of the state in errors about received messages.
    var errorName: String {
        switch self {
        case .invitationSent: "CSTCallInvitationSent"
        case .invitationReceived: "CSTCallInvitationReceived"
        case .offerSent: "CSTCallOfferSent"
        case .offerReceived: "CSTCallOfferReceived"
        case .negotiated: "CSTCallNegotiated"
        }
    }

    var sharedKey: String? {
        switch self {
        case .invitationSent: nil
        case .invitationReceived(_, _, let key), .offerSent(_, _, _, let key), .offerReceived(_, _, _, let key),
            .negotiated(_, _, _, _, let key):
            key
        }
    }

    var ownCallType: CallType? {
        switch self {
        case .invitationSent(let own, _), .offerSent(let own, _, _, _), .offerReceived(let own, _, _, _),
            .negotiated(let own, _, _, _, _):
            own
        case .invitationReceived: nil
        }
    }

    var peerCallType: CallType? {
        switch self {
        case .invitationReceived(let peer, _, _), .offerSent(_, let peer, _, _), .offerReceived(_, let peer, _, _),
            .negotiated(_, let peer, _, _, _):
            peer
        case .invitationSent: nil
        }
    }

    var peerSession: WebRTCSession? {
        switch self {
        case .offerReceived(_, _, let session, _), .negotiated(_, _, _, let session, _): session
        case .invitationSent, .invitationReceived, .offerSent: nil
        }
    }

    /// Whether the user must agree to a call without encryption, because only the user's program encrypts.
    var asksConfirmation: Bool {
        guard case .offerReceived(let own, let peer, _, _) = self else { return false }
        return own.capabilities.encryption && !peer.capabilities.encryption
    }
}

/// The key with which both sides of a call encrypt the media: the raw result of Diffie-Hellman between a key of each
/// side.
enum CallKey {
    /// Computes the key of a call.
    /// - Returns: nil when one side has sent no key.
    /// - Throws: `weakSharedSecret` for a public key that makes the shared key predictable.
    static func computeSharedKey(_ own: X25519.PrivateKey?, _ peer: X25519.PublicKey?) throws -> String? {
        guard let own, let peer else { return nil }
        return BytesText.base64URL(try own.sharedSecret(with: peer).rawRepresentation)
    }

    static func decodePrivateKey(_ text: String?) throws -> X25519.PrivateKey? {
        try text.map { try X25519.PrivateKey(rawRepresentation: Base64URL.decode($0)) }
    }

    static func decodePublicKey(_ text: String?) throws -> X25519.PublicKey? {
        try text.map { try X25519.PublicKey(rawRepresentation: Base64URL.decode($0)) }
    }
}
