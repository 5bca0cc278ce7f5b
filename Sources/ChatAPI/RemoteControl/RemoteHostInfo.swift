/// A device that this device controls, and the state of the session with it.
public struct RemoteHostInfo: Codable, Hashable, Sendable {
    public var remoteHostId: Int64
    public var hostDeviceName: String
    public var storePath: String
    public var bindAddress_: RCCtrlAddress?
    public var bindPort_: Int?
    public var sessionState: RemoteHostSessionState?

    public init(
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
