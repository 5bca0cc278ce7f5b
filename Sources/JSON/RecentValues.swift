import Synchronization

/// A cache of decoded values by their JSON text, for texts that are read repeatedly.
package final class RecentValues<Value: Decodable & Sendable>: Sendable {
    private let state: Mutex<RecentCache<String, Value>>

    /// Makes an empty cache.
    /// - Parameter capacity: maximal number of bytes of the cached texts.
    package init(capacity: Int = 512 * 1_024) { state = Mutex(RecentCache(capacity: capacity)) }

    /// Returns the value of a JSON text, from the cache if it contains the text.
    package func decodeValue(of text: String) throws -> Value {
        if let known = state.withLock({ $0.findValue(for: text) }) { return known }
        let value = try JSONDecoder().decode(Value.self, from: Array(text.utf8), limits: .forOwnText)
        state.withLock { $0.storeValue(value, for: text, cost: text.utf8.count) }
        return value
    }

    /// Removes all cached values.
    package func removeAll() { state.withLock { $0.removeAll() } }
}
