/// A device that this device controls, and the state of the session with it.
package struct RemoteHostInfo: Codable, Hashable, Sendable {
    package var remoteHostId: Int64
    package var hostDeviceName: String
    package var storePath: String
    package var bindAddress_: RCCtrlAddress?
    package var bindPort_: Int?
    package var sessionState: RemoteHostSessionState?

    package init(
        remoteHostId: Int64,
        hostDeviceName: String,
        storePath: String,
        bindAddress_: RCCtrlAddress? = nil,
        bindPort_: Int? = nil,
        sessionState: RemoteHostSessionState? = nil
    ) {
        self.remoteHostId = remoteHostId
        self.hostDeviceName = hostDeviceName
        self.storePath = storePath
        self.bindAddress_ = bindAddress_
        self.bindPort_ = bindPort_
        self.sessionState = sessionState
    }
}
