package import ChatAPI

/// The state of the session with a desktop, for clients that missed the events of the session.
package struct RemoteCtrlStatus: Encodable, Sendable {
    /// The state of the session; nil without a session.
    package let sessionState: RemoteCtrlSessionState?
    /// The id of the desktop; nil for a new desktop, and without a session.
    package let remoteCtrlId: Int64?
    package let ctrlDeviceName: String?
    /// The reason why the last session ended; nil if this device stopped the session.
    package let rcStopReason: RemoteCtrlStopReason?
}

/// The state of the session with a phone, for clients that missed the events of the session.
package struct RemoteHostStatus: Encodable, Sendable {
    /// The state of the session; nil without a session.
    package let sessionState: RemoteHostSessionState?
    /// The reason why the last session ended; nil if this device stopped the session.
    package let rhStopReason: RemoteHostStopReason?

    /// The link that the phone scans; nil if the session is not waiting for the phone.
    package var link: String? {
        if case .connecting(let link) = sessionState { link } else { nil }
    }
}
