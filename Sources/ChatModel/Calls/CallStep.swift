package import ChatAPI

/// An event in the course of a call between the user and a contact.
package enum CallStep: Hashable, Sendable {
    /// The user starts a call with a contact.
    case invitationSent(ChatId, CallType)
    /// The user accepts the contact's invitation to a call.
    case invitationAccepted(ChatId, CallType)
    /// The contact accepts the user's call.
    case offerReceived(Contact, CallType, WebRTCSession, sharedKey: String?, askConfirmation: Bool)
    /// The user answers the contact's offer.
    case answerSent(ChatId)
    /// The contact answers the user's offer.
    case answerReceived(Contact, WebRTCSession)
    /// The chat item of a call has a new status.
    case itemStatusChanged(ChatId, Contact, isSent: Bool, CICallStatus, since: UTCTime)
    case ended(ChatId)

    /// Returns the updates for the chat item of a call with its new status. If the user has answered an incoming call,
    /// the updates also mark the item as read.
    static func makeUpdates(of item: AChatItem) -> [ModelUpdate] {
        guard case .direct(let contact) = item.chatInfo else { return [] }
        let id = item.chatInfo.id
        let since = item.chatItem.meta.itemTs
        switch item.chatItem.content {
        case .sndCall(let status, _):
            return [.call(.itemStatusChanged(id, contact, isSent: true, status, since: since))]
        case .rcvCall(let status, _):
            let isAnswered = status == .accepted || status == .rejected
            return (isAnswered ? [.itemsRead(id, itemIds: [item.chatItem.id])] : []) + [
                .call(.itemStatusChanged(id, contact, isSent: false, status, since: since))
            ]
        default: return []
        }
    }
}

extension ChatModel {
    mutating func apply(_ step: CallStep) {
        switch step {
        case .invitationSent(let id, let type): activeCalls[id]?.callType = type
        case .invitationAccepted(let id, let type):
            takeInvitation(id, .accepted)
            activeCalls[id]?.callType = type
        case .offerReceived(let contact, let type, let session, let key, let asks):
            changeCall(contact, .outgoing) { call in
                call.callState = .offerReceived
                call.peerCallType = type
                call.peerSession = session
                call.sharedKey = key
                call.askConfirmation = asks
            }
        case .answerSent(let id):
            activeCalls[id]?.callState = .negotiated
            activeCalls[id]?.askConfirmation = false
        case .answerReceived(let contact, let session):
            changeCall(contact, .incoming) { call in
                call.callState = .negotiated
                call.peerSession = session
            }
        case .itemStatusChanged(let id, let contact, let isSent, let status, let since):
            guard !status.isFinal else {
                callInvitations[id] = nil
                activeCalls[id] = nil
                return
            }
            if !isSent {
                // An incoming call that the user has not answered yet is in `callInvitations`, so `activeCalls` does
                // not change.
                guard status != .pending else { return }
                takeInvitation(id, status)
            }
            changeCall(contact, isSent ? .outgoing : .incoming) { call in
                call.callStatus = status
                call.callTs = call.callTs ?? since
            }
        case .ended(let id): activeCalls[id] = nil
        }
    }

    private mutating func takeInvitation(_ id: ChatId, _ status: CICallStatus) {
        guard let invitation = callInvitations.removeValue(forKey: id) else { return }
        activeCalls[id] = ActiveCall(
            contact: invitation.contact,
            direction: .incoming,
            callState: .offerSent,
            callStatus: status,
            peerCallType: invitation.callType,
            callUUID: invitation.callUUID,
            callTs: invitation.callTs,
            sharedKey: invitation.sharedKey
        )
    }

    /// Changes the call with a contact. If `activeCalls` does not contain the call yet, the call is added first.
    private mutating func changeCall(
        _ contact: Contact,
        _ direction: ActiveCall.Direction,
        _ body: (inout ActiveCall) -> Void
    ) {
        let id = ChatInfo.direct(contact: contact).id
        var call =
            activeCalls[id]
            ?? ActiveCall(
                contact: contact,
                direction: direction,
                callState: direction == .outgoing ? .invitationSent : .offerSent,
                callStatus: direction == .outgoing ? .pending : .accepted
            )
        body(&call)
        activeCalls[id] = call
    }
}
