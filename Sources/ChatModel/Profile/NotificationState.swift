public import ChatAPI

/// The push token of the profile store (state management, section 2, notifications).
public struct NotificationState: Hashable, Sendable, Encodable {
    public internal(set) var deviceToken: DeviceToken?
    /// The token that the server knows.
    public internal(set) var savedToken: DeviceToken?
    public internal(set) var tokenRegistered = false
    public internal(set) var tokenStatus: NtfTknStatus?
    public internal(set) var notificationMode: NotificationsMode?
    public internal(set) var notificationServer: String?

    public init() {}

    mutating func set(token: DeviceToken, status: NtfTknStatus, mode: NotificationsMode, server: String) {
        deviceToken = token
        savedToken = token
        tokenStatus = status
        tokenRegistered = status == .active
        notificationMode = mode
        notificationServer = server
    }

    mutating func set(status: NtfTknStatus) {
        tokenStatus = status
        tokenRegistered = status == .active
    }
}
