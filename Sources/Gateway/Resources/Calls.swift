internal import ChatAPI

/// Routes for the signalling of calls. The clients exchange the media directly.
enum CallsResource {
    private static let callPath = "/v1/users/{userId}/contacts/{contactId}/call"

    static let routes: [Route] = [
        .makeCommandRoute(.post, callPath, "startCall", .sendCallInvitation, category: "Calls", policy: .storeData) {
            context throws(ProblemDetails) in
            .calls(
                .sendCallInvitation(
                    contactId: try context.parseID("contactId"),
                    callType: try context.parseBody().decodeValue("callType")
                )
            )
        },
        .makeCommandRoute(
            .post,
            callPath + "/reject",
            "rejectCall",
            .rejectCall,
            category: "Calls",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .calls(.rejectCall(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .post,
            callPath + "/offer",
            "sendCallOffer",
            .sendCallOffer,
            category: "Calls",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallOffer(
                    contactId: try context.parseID("contactId"),
                    callOffer: try context.parseBody().decodeValue("callOffer")
                )
            )
        },
        .makeCommandRoute(
            .post,
            callPath + "/answer",
            "sendCallAnswer",
            .sendCallAnswer,
            category: "Calls",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallAnswer(
                    contactId: try context.parseID("contactId"),
                    answer: try context.parseBody().decodeValue("answer")
                )
            )
        },
        .makeCommandRoute(
            .post,
            callPath + "/extra",
            "sendCallCandidates",
            .sendCallExtraInfo,
            category: "Calls",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .calls(
                .sendCallExtraInfo(
                    contactId: try context.parseID("contactId"),
                    extraInfo: try context.parseBody().decodeValue("extraInfo")
                )
            )
        },
        .makeCommandRoute(.delete, callPath, "endCall", .endCall, category: "Calls", policy: .storeData) {
            context throws(ProblemDetails) in
            .calls(.endCall(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/call-invitations",
            "listCallInvitations",
            .getCallInvitations,
            category: "Calls",
            policy: .storeData.replacing(\.profileKeys, .answerFiltered)
        ) { _ throws(ProblemDetails) in
            .calls(.getCallInvitations)
        },
        .makeCommandRoute(
            .put,
            callPath + "/status",
            "setCallStatus",
            .callStatus,
            category: "Calls",
            policy: .storeData
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
