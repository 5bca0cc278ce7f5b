internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for the control of this gateway by another device.
enum RemoteControlResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .put,
            "/v1/remote-control/device-name",
            "setDeviceName",
            .setLocalDeviceName,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .remoteControl(.setLocalDeviceName(displayName: try context.parseBody().decodeValue("displayName")))
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-control/connect",
            "connectController",
            .connectRemoteCtrl,
            category: "RemoteControl",
            policy: .wholeStore,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .remoteControl(.connectRemoteCtrl(xrcpInvitation: try context.parseBody().decodeValue("xrcpInvitation")))
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-control/find",
            "findController",
            .findKnownRemoteCtrl,
            category: "RemoteControl",
            policy: .wholeStore,
            success: .accepted
        ) { _ throws(ProblemDetails) in
            .remoteControl(.findKnownRemoteCtrl)
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-control/controllers/{remoteCtrlId}/confirm",
            "confirmController",
            .confirmRemoteCtrl,
            category: "RemoteControl",
            policy: .wholeStore,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .remoteControl(.confirmRemoteCtrl(remoteCtrlId: try context.parseID("remoteCtrlId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-control/session/verify",
            "verifyControllerSession",
            .verifyRemoteCtrlSession,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .remoteControl(.verifyRemoteCtrlSession(sessionCode: try context.parseBody().decodeValue("sessionCode")))
        },
        .makeCommandRoute(
            .get,
            "/v1/remote-control/controllers",
            "listControllers",
            .listRemoteCtrls,
            category: "RemoteControl",
            policy: .wholeStore
        ) { _ throws(ProblemDetails) in
            .remoteControl(.listRemoteCtrls)
        },
        Route(
            .get,
            "/v1/remote-control/session",
            "getControllerSession",
            category: "RemoteControl",
            access: .key(Scopes.requiredScopes(for: .listRemoteCtrls)),
            policy: .wholeStore,
            handler: { context throws(ProblemDetails) in
                try context.refuseUnknownNames()
                return .later {
                    guard let status = await context.services.core.controller?.remoteCtrlStatus,
                        let body = try? JSONEncoder().encode(status)
                    else {
                        return ProblemDetails(.unavailable).response(for: context.request)
                    }
                    return HTTPResponse(json: body)
                }
            }
        ),
        .makeCommandRoute(
            .delete,
            "/v1/remote-control/session",
            "stopControllerSession",
            .stopRemoteCtrl,
            category: "RemoteControl",
            policy: .wholeStore
        ) { _ throws(ProblemDetails) in
            .remoteControl(.stopRemoteCtrl)
        },
        .makeCommandRoute(
            .delete,
            "/v1/remote-control/controllers/{remoteCtrlId}",
            "deleteController",
            .deleteRemoteCtrl,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .remoteControl(.deleteRemoteCtrl(remoteCtrlId: try context.parseID("remoteCtrlId")))
        },
    ]
}
