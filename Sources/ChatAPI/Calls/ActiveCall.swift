/// A call that is being set up or that goes on, as clients of one profile see it. Calls that were only received are in ``RcvCallInvitation``.
///
/// It is part of the state that the gateway keeps for clients, and of no command or event.
public struct ActiveCall: Codable, Hashable, Sendable {
    public enum Direction: String, Codable, Hashable, Sendable {
        case incoming, outgoing
    }

    public var contact: Contact
    public var direction: Direction
    /// How far the two sides have agreed on a session.
    public var callState: CallStateTag
    /// The status that the chat shows.
    public var callStatus: CICallStatus
    /// What the user asked for, or has answered with.
    public var callType: CallType?
    /// What the contact asked for, or has answered with.
    public var peerCallType: CallType?
    /// Only for incoming calls.
    public var callUUID: String?
    /// When the call began.
    public var callTs: UTCTime?
    /// Encrypts the media, base64url; nil when one side does not encrypt.
    public var sharedKey: String?
    /// The user wanted encryption, and the contact has none: the user must agree before the call goes on.
    public var askConfirmation: Bool
    /// The contact's offer or answer.
    public var peerSession: WebRTCSession?

    public init(
        contact: Contact, direction: Direction, callState: CallStateTag, callStatus: CICallStatus, callType: CallType? = nil,
        peerCallType: CallType? = nil, callUUID: String? = nil, callTs: UTCTime? = nil, sharedKey: String? = nil, askConfirmation: Bool = false,
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
    /// Whether nothing follows any more.
    public var isFinal: Bool { [.missed, .rejected, .ended, .error].contains(self) }
}
