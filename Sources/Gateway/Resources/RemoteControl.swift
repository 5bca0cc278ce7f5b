internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for the control of this gateway by another device.
enum RemoteControlResource {
    static let routes: [Route] = [
        .command(
            .put,
            "/v1/remote-control/device-name",
            .setLocalDeviceName,
            category: "RemoteControl",
            policy: .core
        ) { context throws(ProblemDetails) in
            .remoteControl(.setLocalDeviceName(displayName: try context.body().value("displayName")))
        },
        .command(
            .post,
            "/v1/remote-control/connect",
            .connectRemoteCtrl,
            category: "RemoteControl",
            policy: .core,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .remoteControl(.connectRemoteCtrl(xrcpInvitation: try context.body().value("xrcpInvitation")))
        },
        .command(
            .post,
            "/v1/remote-control/find",
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
            .confirmRemoteCtrl,
            category: "RemoteControl",
            policy: .core,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .remoteControl(.confirmRemoteCtrl(remoteCtrlId: try context.id("remoteCtrlId")))
        },
        .command(
            .post,
            "/v1/remote-control/session/verify",
            .verifyRemoteCtrlSession,
            category: "RemoteControl",
            policy: .core
        ) { context throws(ProblemDetails) in
            .remoteControl(.verifyRemoteCtrlSession(sessionCode: try context.body().value("sessionCode")))
        },
        .command(
            .get,
            "/v1/remote-control/controllers",
            .listRemoteCtrls,
            category: "RemoteControl",
            policy: .core
        ) { _ throws(ProblemDetails) in
            .remoteControl(.listRemoteCtrls)
        },
        Route(
            .get,
            "/v1/remote-control/session",
            "remoteCtrlSession",
            category: "RemoteControl",
            access: .key(Scopes.required(for: .listRemoteCtrls)),
            policy: .core,
            handler: { context throws(ProblemDetails) in
                try context.refuseUnknown()
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
            .stopRemoteCtrl,
            category: "RemoteControl",
            policy: .core
        ) { _ throws(ProblemDetails) in
            .remoteControl(.stopRemoteCtrl)
        },
        .command(
            .delete,
            "/v1/remote-control/controllers/{remoteCtrlId}",
            .deleteRemoteCtrl,
            category: "RemoteControl",
            policy: .core
        ) { context throws(ProblemDetails) in
            .remoteControl(.deleteRemoteCtrl(remoteCtrlId: try context.id("remoteCtrlId")))
        },
    ]
}
