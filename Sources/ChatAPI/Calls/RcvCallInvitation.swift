/// A call that a contact has started and the user has not answered.
package struct RcvCallInvitation: Codable, Hashable, Sendable {
    package var user: User
    package var contact: Contact
    package var callType: CallType
    package var sharedKey: String?
    package var callUUID: String
    package var callTs: UTCTime

    package init(
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
