/// The app of the controlling device, as the app describes itself.
package struct CtrlAppInfo: Codable, Hashable, Sendable {
    package var appVersionRange: AppVersionRange
    package var deviceName: String
    /// Whether the app compresses the data that it sends; nil from an app that does not report this.
    package var compression: Bool?
}

/// An address at which a controller listens, and the network interface of the address.
package struct RCCtrlAddress: Codable, Hashable, Sendable {
    package var address: String
    package var interface: String

    package init(address: String, interface: String) {
        self.address = address
        self.interface = interface
    }
}

/// A device that may control this device, and the state of the session with it.
package struct RemoteCtrlInfo: Codable, Hashable, Sendable {
    package var remoteCtrlId: Int64
    package var ctrlDeviceName: String
    package var sessionState: RemoteCtrlSessionState?

    package init(remoteCtrlId: Int64, ctrlDeviceName: String, sessionState: RemoteCtrlSessionState? = nil) {
        self.remoteCtrlId = remoteCtrlId
        self.ctrlDeviceName = ctrlDeviceName
        self.sessionState = sessionState
    }
}

/// A file on a remote host: the user of the host to whom the file belongs, and the location of the file on the host.
package struct RemoteFile: Codable, Hashable, Sendable {
    package var userId: Int64
    package var fileId: Int64
    package var sent: Bool
    package var fileSource: CryptoFile

    package init(userId: Int64, fileId: Int64, sent: Bool, fileSource: CryptoFile) {
        self.userId = userId
        self.fileId = fileId
        self.sent = sent
        self.fileSource = fileSource
    }
}
