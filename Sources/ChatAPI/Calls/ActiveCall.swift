/// A call in preparation or in progress, as clients of one profile see it. An incoming call that the user has not
/// answered is an ``RcvCallInvitation``.
///
/// The gateway keeps this state for clients. No command or event contains it.
package struct ActiveCall: Codable, Hashable, Sendable {
    package enum Direction: String, Codable, Hashable, Sendable {
        case incoming, outgoing
    }

    package var contact: Contact
    package var direction: Direction
    /// Progress of the negotiation of the call between the two sides.
    package var callState: CallStateTag
    /// The status that the chat item of the call shows.
    package var callStatus: CICallStatus
    /// The type of call in the user's request or answer.
    package var callType: CallType?
    /// The type of call in the contact's request or answer.
    package var peerCallType: CallType?
    /// Id of an incoming call; nil for other calls.
    package var callUUID: String?
    /// The time at which the call began.
    package var callTs: UTCTime?
    /// Key that encrypts the media, in base64url; nil when one side does not support encryption.
    package var sharedKey: String?
    /// Whether the user must agree before the call continues, because the user has requested encryption and the contact
    /// does not support it.
    package var askConfirmation: Bool
    /// The media session in the contact's offer or answer.
    package var peerSession: WebRTCSession?

    package init(
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
    /// Whether the call is over and its status can no longer change.
    package var isFinal: Bool { [.missed, .rejected, .ended, .error].contains(self) }
}
