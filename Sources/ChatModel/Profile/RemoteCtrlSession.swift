package import ChatAPI

/// The controlling desktop of this profile, and the state of the connection to it (simplex-chat
/// `apps/ios/spec/state.md`, section 2).
package struct RemoteCtrlSession: Hashable, Sendable, Encodable {
    package internal(set) var remoteCtrl: RemoteCtrlInfo?
    package internal(set) var ctrlAppInfo: CtrlAppInfo?
    package internal(set) var appVersion: String?
    /// Whether the app versions of the desktop and of this profile are compatible; nil while this is unknown.
    package internal(set) var compatible: Bool?
    package internal(set) var sessionState: RemoteCtrlSessionState

    package init(
        remoteCtrl: RemoteCtrlInfo? = nil,
        ctrlAppInfo: CtrlAppInfo? = nil,
        appVersion: String? = nil,
        compatible: Bool? = nil,
        sessionState: RemoteCtrlSessionState
    ) {
        self.remoteCtrl = remoteCtrl
        self.ctrlAppInfo = ctrlAppInfo
        self.appVersion = appVersion
        self.compatible = compatible
        self.sessionState = sessionState
    }
}
