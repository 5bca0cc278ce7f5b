internal import ChatAPI

/// Routes for the signalling of calls. The clients exchange the media directly.
enum CallsResource {
    private static let call = "/v1/users/{userId}/contacts/{contactId}/call"

    static let routes: [Route] = [
        .command(.post, call, "startCall", .sendCallInvitation, category: "Calls", policy: .data) {
            context throws(ProblemDetails) in
            .calls(
                .sendCallInvitation(
                    contactId: try context.id("contactId"),
                    callType: try context.body().value("callType")
                )
            )
        },
        .command(
            .post,
            call + "/reject",
            "rejectCall",
            .rejectCall,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(.rejectCall(contactId: try context.id("contactId")))
        },
        .command(
            .post,
            call + "/offer",
            "sendCallOffer",
            .sendCallOffer,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallOffer(contactId: try context.id("contactId"), callOffer: try context.body().value("callOffer"))
            )
        },
        .command(
            .post,
            call + "/answer",
            "sendCallAnswer",
            .sendCallAnswer,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(.sendCallAnswer(contactId: try context.id("contactId"), answer: try context.body().value("answer")))
        },
        .command(
            .post,
            call + "/extra",
            "sendCallCandidates",
            .sendCallExtraInfo,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallExtraInfo(
                    contactId: try context.id("contactId"),
                    extraInfo: try context.body().value("extraInfo")
                )
            )
        },
        .command(.delete, call, "endCall", .endCall, category: "Calls", policy: .data) {
            context throws(ProblemDetails) in
            .calls(.endCall(contactId: try context.id("contactId")))
        },
        .command(
            .get,
            "/v1/call-invitations",
            "listCallInvitations",
            .getCallInvitations,
            category: "Calls",
            policy: .data.with(\.profiles, .filtered)
        ) { _ throws(ProblemDetails) in
            .calls(.getCallInvitations)
        },
        .command(
            .put,
            call + "/status",
            "setCallStatus",
            .callStatus,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .callStatus(contactId: try context.id("contactId"), callStatus: try context.body().value("callStatus"))
            )
        },
    ]
}
