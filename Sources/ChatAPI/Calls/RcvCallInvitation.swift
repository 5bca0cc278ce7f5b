/// A call that a contact has started and the user has not answered.
public struct RcvCallInvitation: Codable, Hashable, Sendable {
    public var user: User
    public var contact: Contact
    public var callType: CallType
    public var sharedKey: String?
    public var callUUID: String
    public var callTs: UTCTime

    public init(
        user: User,
        contact: Contact,
        callType: CallType,
        sharedKey: String? = nil,
        callUUID: String,
        callTs: UTCTime
    ) {
        self.user = user
        self.contact = contact
        self.callType = callType
        self.sharedKey = sharedKey
        self.callUUID = callUUID
        self.callTs = callTs
    }
}
