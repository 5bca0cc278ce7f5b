internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for the control of this gateway by another device.
enum RemoteControlResource {
    static let routes: [Route] = [
        .command(
            .put,
            "/v1/remote-control/device-name",
            "setDeviceName",
            .setLocalDeviceName,
            category: "RemoteControl",
            policy: .core
        ) { context throws(ProblemDetails) in
            .remoteControl(.setLocalDeviceName(displayName: try context.parseBody().decodeValue("displayName")))
        },
        .command(
            .post,
            "/v1/remote-control/connect",
            "connectController",
            .connectRemoteCtrl,
            category: "RemoteControl",
            policy: .core,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .remoteControl(.connectRemoteCtrl(xrcpInvitation: try context.parseBody().decodeValue("xrcpInvitation")))
        },
        .command(
            .post,
            "/v1/remote-control/find",
            "findController",
            .findKnownRemoteCtrl,
            category: "RemoteControl",
            policy: .core,
            success: .accepted
        ) { _ throws(ProblemDetails) in
            .remoteControl(.findKnownRemoteCtrl)
        },
        .command(
            .post,
            "/v1/remote-control/controllers/{remoteCtrlId}/confirm",
            "confirmController",
            .confirmRemoteCtrl,
            category: "RemoteControl",
            policy: .core,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .remoteControl(.confirmRemoteCtrl(remoteCtrlId: try context.parseID("remoteCtrlId")))
        },
        .command(
            .post,
            "/v1/remote-control/session/verify",
            "verifyControllerSession",
            .verifyRemoteCtrlSession,
            category: "RemoteControl",
            policy: .core
        ) { context throws(ProblemDetails) in
            .remoteControl(.verifyRemoteCtrlSession(sessionCode: try context.parseBody().decodeValue("sessionCode")))
        },
        .command(
            .get,
            "/v1/remote-control/controllers",
            "listControllers",
            .listRemoteCtrls,
            category: "RemoteControl",
            policy: .core
        ) { _ throws(ProblemDetails) in
            .remoteControl(.listRemoteCtrls)
        },
        Route(
            .get,
            "/v1/remote-control/session",
            "getControllerSession",
            category: "RemoteControl",
            access: .key(Scopes.required(for: .listRemoteCtrls)),
            policy: .core,
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
        .command(
            .delete,
            "/v1/remote-control/session",
            "stopControllerSession",
            .stopRemoteCtrl,
            category: "RemoteControl",
            policy: .core
        ) { _ throws(ProblemDetails) in
            .remoteControl(.stopRemoteCtrl)
        },
        .command(
            .delete,
            "/v1/remote-control/controllers/{remoteCtrlId}",
            "deleteController",
            .deleteRemoteCtrl,
            category: "RemoteControl",
            policy: .core
        ) { context throws(ProblemDetails) in
            .remoteControl(.deleteRemoteCtrl(remoteCtrlId: try context.parseID("remoteCtrlId")))
        },
    ]
}
