/// The app of the controlling device, by its own description.
public struct CtrlAppInfo: Codable, Hashable, Sendable {
    public var appVersionRange: AppVersionRange
    public var deviceName: String
    /// Whether the app compresses the data that it sends.
    public var compression: Bool?
}

/// An address of a controller, and the network interface for it.
public struct RCCtrlAddress: Codable, Hashable, Sendable {
    public var address: String
    public var interface: String

    public init(address: String, interface: String) {
        self.address = address
        self.interface = interface
    }
}

/// A device that may control this device, and the state of the session with it.
public struct RemoteCtrlInfo: Codable, Hashable, Sendable {
    public var remoteCtrlId: Int64
    public var ctrlDeviceName: String
    public var sessionState: RemoteCtrlSessionState?

    public init(remoteCtrlId: Int64, ctrlDeviceName: String, sessionState: RemoteCtrlSessionState? = nil) {
        self.remoteCtrlId = remoteCtrlId
        self.ctrlDeviceName = ctrlDeviceName
        self.sessionState = sessionState
    }
}

/// A file of a remote host, with its user and its location on the host.
public struct RemoteFile: Codable, Hashable, Sendable {
    public var userId: Int64
    public var fileId: Int64
    public var sent: Bool
    public var fileSource: CryptoFile

    public init(userId: Int64, fileId: Int64, sent: Bool, fileSource: CryptoFile) {
        self.userId = userId
        self.fileId = fileId
        self.sent = sent
        self.fileSource = fileSource
    }
}
