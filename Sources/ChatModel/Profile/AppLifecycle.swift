/// The state of the core (simplex-chat `apps/ios/spec/state.md`, section 2, app lifecycle).
public struct AppLifecycle: Hashable, Sendable, Encodable {
    public var chatInitialized = false
    /// Whether the core is running; nil while this is unknown. A suspended core is running.
    public var chatRunning: Bool?
    public var chatDbEncrypted: Bool?
    /// The activity of the core; nil for a phone.
    public var appState: AppState?

    public init() {}
}

/// The activity of the core.
public enum AppState: String, Hashable, Sendable, Encodable {
    case active
    /// The core neither sends nor receives until it is activated.
    case suspended
    case stopped
}
