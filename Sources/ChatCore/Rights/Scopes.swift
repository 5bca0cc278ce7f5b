/// The permissions of a key. `admin` includes all other permissions except `stores`.
package struct Scopes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The permission for requests that only read data.
    package static let read = Scopes(rawValue: 1)
    /// The permission for requests that change or send data.
    package static let write = Scopes(rawValue: 2)
    /// The permission for requests that follow events.
    package static let events = Scopes(rawValue: 4)
    /// The permission for requests that start or stop the core, or use its databases or metrics. Includes all requests
    /// that `read`, `write` and `events` permit.
    package static let admin = Scopes(rawValue: 8)
    /// The permission for requests that create, unlock, lock or delete other stores. Only keys of the first store can
    /// have this permission. `admin` does not include it, since the administrator of one store has no rights in other
    /// stores.
    package static let stores = Scopes(rawValue: 16)

    private static let names: [(Scopes, String)] = [
        (.read, "read"), (.write, "write"), (.events, "events"), (.admin, "admin"), (.stores, "stores"),
    ]

    package var names: [String] { Scopes.names.filter { contains($0.0) }.map(\.1) }

    /// Parses names of permissions; nil if a name is unknown or the list is empty.
    package init?(names: [String]) {
        var scopes: Scopes = []
        for name in names {
            guard let known = Scopes.names.first(where: { $0.1 == name }) else { return nil }
            scopes.insert(known.0)
        }
        guard !scopes.isEmpty else { return nil }
        self = scopes
    }

    /// Whether these scopes include the needed scopes.
    package func allows(_ needed: Scopes) -> Bool {
        isSuperset(of: needed) || contains(.admin) && !needed.contains(.stores)
    }
}
