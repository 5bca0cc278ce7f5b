internal import Agent
internal import ChatStore

/// Handles the agent's events. Each extension handles the events of one feature, as each extension of
/// ``RunningCommand`` runs the commands of one feature.
///
/// A handler writes through its own ``store``. The purpose of this store decides whether received data is counted
/// against the limits.
struct AgentEventHandler: Sendable {
    let services: CoreServices
    let lifecycle: any StoreLifecycle
    var store: EventHandlerStore

    init(_ services: CoreServices, _ store: ChatStore, _ lifecycle: any StoreLifecycle) {
        self.services = services
        self.lifecycle = lifecycle
        self.store = EventHandlerStore(store)
    }
}

/// Access to the chat database for the agent's events.
struct EventHandlerStore: StoreAccess {
    private let store: ChatStore
    /// The purpose of the writes, which decides whether the limits of the store apply.
    var purpose = StoreQuota.Purpose.upkeep

    init(_ store: ChatStore) { self.store = store }

    var quota: StoreQuota { store.quota }

    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await store.write(for: purpose, body)
    }

    /// Runs `body` in one transaction, as ``write(_:)`` does.
    /// - Parameter delay: the time for which the commit and its events may wait to join another commit.
    func write<T: Sendable>(
        within delay: Duration,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await store.write(for: purpose, within: delay, body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        try await store.read(body)
    }
}
