import Synchronization

/// Caches that users of a connection keep with it, one of each type, for example for values that are parsed from its
/// rows. They are released together with the connection and its rows.
final class ConnectionCaches: Sendable {
    private let caches = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    func findOrMakeCache<Cache: AnyObject & Sendable>(_ make: () -> Cache) -> Cache {
        caches.withLock { caches in
            if let known = caches[ObjectIdentifier(Cache.self)] as? Cache { return known }
            let made = make()
            caches[ObjectIdentifier(Cache.self)] = made
            return made
        }
    }
}

extension Row {
    /// Returns the cache of a type that belongs to the connection of the row. Only the threads that use rows of the
    /// same connection share the cache.
    /// - Parameter make: makes the cache of a connection that has none.
    package func findOrMakeCache<Cache: AnyObject & Sendable>(_ make: () -> Cache) -> Cache {
        columns.caches.findOrMakeCache(make)
    }
}
