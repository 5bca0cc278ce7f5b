/// Signalling of calls.
enum Calls {
    static let routes: [Route] = [
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call", "apiSendCallInvitation", room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/reject", "apiRejectCall", room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/offer", "apiSendCallOffer", room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/answer", "apiSendCallAnswer", room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/extra", "apiSendCallExtraInfo", room: "Calls"),
        Route(.delete, "/v1/users/{userId}/contacts/{contactId}/call", "apiEndCall", room: "Calls"),
        Route(.get, "/v1/call-invitations", "apiGetCallInvitations", room: "Calls"),
        Route(.put, "/v1/users/{userId}/contacts/{contactId}/call/status", "apiCallStatus", room: "Calls"),
    ]
}
