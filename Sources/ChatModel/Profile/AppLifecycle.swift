public import ChatAPI

/// The state of the core (simplex-chat `apps/ios/spec/state.md`, section 2, app lifecycle).
public struct AppLifecycle: Hashable, Sendable, Encodable {
    public var chatInitialized = false
    /// Whether the core is running; nil while this is unknown.
    public var chatRunning: Bool?
    public var chatDbChanged = false
    public var chatDbEncrypted: Bool?
    public var chatDbStatus: DBMigrationResult?
    public var ctrlInitInProgress = false

    public init() {}
}
