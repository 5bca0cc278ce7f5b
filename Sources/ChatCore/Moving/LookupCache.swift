/// A cache of recent look-ups. Only one thread may use it.
final class LookupCache<Key: Hashable, Value> {
    private var values: [Key: Value?] = [:]
    private static var maxEntries: Int { 1_000 }

    /// Returns the value of a key.
    /// - Parameter find: a function that looks up a key that is not in the cache.
    func findValue(_ key: Key, _ find: () throws -> Value?) rethrows -> Value? {
        if let known = values[key] { return known }
        let found = try find()
        if values.count >= Self.maxEntries { values.removeAll(keepingCapacity: true) }
        values[key] = .some(found)
        return found
    }
}
