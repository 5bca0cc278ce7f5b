public import ChatAPI

/// The push token of the profile store (state management, section 2, notifications).
public struct NotificationState: Hashable, Sendable, Encodable {
    public internal(set) var deviceToken: DeviceToken?
    /// The token that the server knows.
    public internal(set) var savedToken: DeviceToken?
    /// Whether the server takes it: from registration on, until it expires or turns out to be invalid.
    public internal(set) var tokenRegistered = false
    public internal(set) var tokenStatus: NtfTknStatus?
    public internal(set) var notificationMode: NotificationsMode?
    public internal(set) var notificationServer: String?

    public init() {}

    /// - Parameter server: nil when it is not told: it is as before then.
    mutating func set(token: DeviceToken, status: NtfTknStatus, mode: NotificationsMode, server: String?) {
        deviceToken = token
        savedToken = token
        notificationMode = mode
        if let server { notificationServer = server }
        set(status: status)
    }

    mutating func set(status: NtfTknStatus) {
        tokenStatus = status
        tokenRegistered = status == .registered || status == .confirmed || status == .active
    }
}
