/// A call that is being set up or in progress, as clients of one profile see it. Calls that were only received are in
/// ``RcvCallInvitation``.
///
/// Part of the state that the gateway keeps for clients; no command or event contains it.
public struct ActiveCall: Codable, Hashable, Sendable {
    public enum Direction: String, Codable, Hashable, Sendable {
        case incoming, outgoing
    }

    public var contact: Contact
    public var direction: Direction
    /// Progress of the negotiation of a session between the two sides.
    public var callState: CallStateTag
    /// The status that the chat shows.
    public var callStatus: CICallStatus
    /// Call type that the user requested or answered with.
    public var callType: CallType?
    /// Call type that the contact requested or answered with.
    public var peerCallType: CallType?
    /// Only for incoming calls.
    public var callUUID: String?
    /// When the call began.
    public var callTs: UTCTime?
    /// Key that encrypts the media, base64url; nil when one side does not encrypt.
    public var sharedKey: String?
    /// Whether the user must agree before the call continues: the user requested encryption, and the contact does not
    /// have it.
    public var askConfirmation: Bool
    /// The contact's offer or answer.
    public var peerSession: WebRTCSession?

    public init(
        contact: Contact,
        direction: Direction,
        callState: CallStateTag,
        callStatus: CICallStatus,
        callType: CallType? = nil,
        peerCallType: CallType? = nil,
        callUUID: String? = nil,
        callTs: UTCTime? = nil,
        sharedKey: String? = nil,
        askConfirmation: Bool = false,
        peerSession: WebRTCSession? = nil
    ) {
        self.contact = contact
        self.direction = direction
        self.callState = callState
        self.callStatus = callStatus
        self.callType = callType
        self.peerCallType = peerCallType
        self.callUUID = callUUID
        self.callTs = callTs
        self.sharedKey = sharedKey
        self.askConfirmation = askConfirmation
        self.peerSession = peerSession
    }
}

extension CICallStatus {
    /// Whether the call is over: no other status follows.
    public var isFinal: Bool { [.missed, .rejected, .ended, .error].contains(self) }
}
