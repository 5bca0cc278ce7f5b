public import ChatAPI

/// The controlling desktop of this profile, and the state of the connection to it (simplex-chat
/// `apps/ios/spec/state.md`, section 2).
public struct RemoteCtrlSession: Hashable, Sendable, Encodable {
    public internal(set) var remoteCtrl: RemoteCtrlInfo?
    public internal(set) var ctrlAppInfo: CtrlAppInfo?
    public internal(set) var appVersion: String?
    /// Whether the versions of the two apps are compatible; nil while this is unknown.
    public internal(set) var compatible: Bool?
    public internal(set) var sessionState: RemoteCtrlSessionState

    public init(
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
