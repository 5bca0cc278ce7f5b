internal import ChatAPI

/// Routes for the signalling of calls. The clients exchange the media directly.
enum CallsResource {
    private static let callPath = "/v1/users/{userId}/contacts/{contactId}/call"

    static let routes: [Route] = [
        .command(.post, callPath, "startCall", .sendCallInvitation, category: "Calls", policy: .data) {
            context throws(ProblemDetails) in
            .calls(
                .sendCallInvitation(
                    contactId: try context.parseID("contactId"),
                    callType: try context.parseBody().decodeValue("callType")
                )
            )
        },
        .command(
            .post,
            callPath + "/reject",
            "rejectCall",
            .rejectCall,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(.rejectCall(contactId: try context.parseID("contactId")))
        },
        .command(
            .post,
            callPath + "/offer",
            "sendCallOffer",
            .sendCallOffer,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallOffer(
                    contactId: try context.parseID("contactId"),
                    callOffer: try context.parseBody().decodeValue("callOffer")
                )
            )
        },
        .command(
            .post,
            callPath + "/answer",
            "sendCallAnswer",
            .sendCallAnswer,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallAnswer(
                    contactId: try context.parseID("contactId"),
                    answer: try context.parseBody().decodeValue("answer")
                )
            )
        },
        .command(
            .post,
            callPath + "/extra",
            "sendCallCandidates",
            .sendCallExtraInfo,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallExtraInfo(
                    contactId: try context.parseID("contactId"),
                    extraInfo: try context.parseBody().decodeValue("extraInfo")
                )
            )
        },
        .command(.delete, callPath, "endCall", .endCall, category: "Calls", policy: .data) {
            context throws(ProblemDetails) in
            .calls(.endCall(contactId: try context.parseID("contactId")))
        },
        .command(
            .get,
            "/v1/call-invitations",
            "listCallInvitations",
            .getCallInvitations,
            category: "Calls",
            policy: .data.replacing(\.profileKeys, .filtered)
        ) { _ throws(ProblemDetails) in
            .calls(.getCallInvitations)
        },
        .command(
            .put,
            callPath + "/status",
            "setCallStatus",
            .callStatus,
            category: "Calls",
            policy: .data
        ) { context throws(ProblemDetails) in
            .calls(
                .callStatus(
                    contactId: try context.parseID("contactId"),
                    callStatus: try context.parseBody().decodeValue("callStatus")
                )
            )
        },
    ]
}
