extension RoutePolicy {
    /// Data of the key's store, or of the profile that the path names.
    static let data = RoutePolicy(
        answers: .plain,
        entrance: .key,
        profiles: .path,
        chats: .refused,
        phones: .served,
        unclaimed: .refused,
        store: .own,
        callers: .clients
    )

    /// Data of the chat that the path names.
    static let chat = data.with(\.chats, .path)

    /// Data that browsers open as streams, images or links.
    static let view = data.with(\.entrance, .ticket)

    /// Data with lasting secrets.
    static let secrets = data.with(\.answers, .secret)

    /// The store of this gateway as a whole, not that of a phone: its core, its databases, its other devices.
    static let core = data.with(\.phones, .refused)

    /// Events, for every key that may follow them.
    static let events = RoutePolicy(
        answers: .plain,
        entrance: .key,
        profiles: .filtered,
        chats: .filtered,
        phones: .served,
        unclaimed: .refused,
        store: .own,
        callers: .clients
    )

    /// Receivers of events outside this gateway, each of which belongs to a key.
    static let receivers = events.with(\.phones, .refused)

    /// Stores, locked or unlocked, and the process with all of its stores.
    static let stores = RoutePolicy(
        answers: .secret,
        entrance: .key,
        profiles: .path,
        chats: .refused,
        phones: .refused,
        unclaimed: .refused,
        store: .gateway(opensStore: false),
        callers: .clients
    )

    /// Keys of the caller's store, as far as the caller has their rights.
    static let keys = stores.with(\.profiles, .filtered)

    /// Facts about the process that need no store.
    static let process = RoutePolicy(
        answers: .plain,
        entrance: .key,
        profiles: .path,
        chats: .refused,
        phones: .refused,
        unclaimed: .refused,
        store: .process,
        callers: .clients
    )

    /// The same policy with another decision.
    func with<Decision>(_ field: WritableKeyPath<RoutePolicy, Decision>, _ decision: Decision) -> RoutePolicy {
        var policy = self
        policy[keyPath: field] = decision
        return policy
    }
}
