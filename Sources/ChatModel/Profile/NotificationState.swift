package import ChatAPI

/// The registration of the store's device for push notifications (simplex-chat `apps/ios/spec/state.md`, section 2,
/// notifications).
package struct NotificationState: Hashable, Sendable, Encodable {
    package internal(set) var deviceToken: DeviceToken?
    /// The token that is registered at the notification server.
    package internal(set) var savedToken: DeviceToken?
    /// Whether the notification server accepts the token. The value is true from the registration until the token
    /// expires or is found invalid.
    package internal(set) var tokenRegistered = false
    package internal(set) var tokenStatus: NtfTknStatus?
    package internal(set) var notificationMode: NotificationsMode?
    package internal(set) var notificationServer: String?

    package init() {}

    /// Sets a registered token.
    /// - Parameter server: the address of the server; nil keeps the known address.
    mutating func setToken(token: DeviceToken, status: NtfTknStatus, mode: NotificationsMode, server: String?) {
        deviceToken = token
        savedToken = token
        notificationMode = mode
        if let server { notificationServer = server }
        setTokenStatus(status: status)
    }

    mutating func setTokenStatus(status: NtfTknStatus) {
        tokenStatus = status
        tokenRegistered = status == .registered || status == .confirmed || status == .active
    }
}
