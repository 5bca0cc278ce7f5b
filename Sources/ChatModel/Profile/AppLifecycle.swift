/// The state of the core (simplex-chat `apps/ios/spec/state.md`, section 2, app lifecycle).
package struct AppLifecycle: Hashable, Sendable, Encodable {
    package var chatInitialized = false
    /// Whether the core is running; nil while this is unknown. A suspended core counts as running.
    package var chatRunning: Bool?
    package var chatDbEncrypted: Bool?
    /// The activity of the core; nil if the core runs on a connected phone.
    package var appState: AppState?

    package init() {}
}

/// The activity of the core.
package enum AppState: String, Hashable, Sendable, Encodable {
    case active
    /// The core neither sends nor receives messages until a client activates it.
    case suspended
    case stopped
}
