public import ChatAPI

/// The state of the session with a desktop, for clients that missed the events of the session.
public struct RemoteCtrlStatus: Encodable, Sendable {
    /// The state of the session; nil without a session.
    public let sessionState: RemoteCtrlSessionState?
    /// The id of the desktop; nil for a new desktop, and without a session.
    public let remoteCtrlId: Int64?
    public let ctrlDeviceName: String?
    /// The reason why the last session ended; nil if this device stopped the session.
    public let rcStopReason: RemoteCtrlStopReason?
}

/// The state of the session with a phone, for clients that missed the events of the session.
public struct RemoteHostStatus: Encodable, Sendable {
    /// The state of the session; nil without a session.
    public let sessionState: RemoteHostSessionState?
    /// The reason why the last session ended; nil if this device stopped the session.
    public let rhStopReason: RemoteHostStopReason?

    /// The link that the phone scans; nil if the session is not waiting for the phone.
    public var link: String? {
        if case .connecting(let link) = sessionState { link } else { nil }
    }
}
