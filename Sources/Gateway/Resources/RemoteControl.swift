/// Being controlled from another device.
enum RemoteControl {
    static let routes: [Route] = [
        Route(.put, "/v1/remote-control/device-name", .setLocalDeviceName, room: "RemoteControl"),
        Route(.post, "/v1/remote-control/connect", .connectRemoteCtrl, room: "RemoteControl"),
        Route(.post, "/v1/remote-control/find", .findKnownRemoteCtrl, room: "RemoteControl"),
        Route(.post, "/v1/remote-control/controllers/{remoteCtrlId}/confirm", .confirmRemoteCtrl, room: "RemoteControl"),
        Route(.post, "/v1/remote-control/session/verify", .verifyRemoteCtrlSession, room: "RemoteControl"),
        Route(.get, "/v1/remote-control/controllers", .listRemoteCtrls, room: "RemoteControl"),
        Route(.delete, "/v1/remote-control/session", .stopRemoteCtrl, room: "RemoteControl"),
        Route(.delete, "/v1/remote-control/controllers/{remoteCtrlId}", .deleteRemoteCtrl, room: "RemoteControl"),
    ]
}
