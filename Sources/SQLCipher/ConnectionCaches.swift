import Synchronization

/// Caches that belong to a database connection, for example caches of values that were parsed from its rows. There is
/// at most one cache of each Swift type. The caches are released together with the connection and its rows.
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
    /// Returns the cache of the type `Cache` that belongs to the row's database connection. Only the threads that use
    /// rows of this connection share the cache.
    /// - Parameter make: makes the cache of a connection that has none.
    package func findOrMakeCache<Cache: AnyObject & Sendable>(_ make: () -> Cache) -> Cache {
        columns.caches.findOrMakeCache(make)
    }
}
