/// Signalling of calls.
enum Calls {
    static let routes: [Route] = [
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call", .sendCallInvitation, room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/reject", .rejectCall, room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/offer", .sendCallOffer, room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/answer", .sendCallAnswer, room: "Calls"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/call/extra", .sendCallExtraInfo, room: "Calls"),
        Route(.delete, "/v1/users/{userId}/contacts/{contactId}/call", .endCall, room: "Calls"),
        Route(.get, "/v1/call-invitations", .getCallInvitations, room: "Calls"),
        Route(.put, "/v1/users/{userId}/contacts/{contactId}/call/status", .callStatus, room: "Calls"),
    ]
}
