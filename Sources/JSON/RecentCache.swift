/// A cache that keeps recently used values. A cleaning drops all values that were neither added nor read since the
/// previous cleaning. The next cleaning happens when the values that were added or read since the last cleaning exceed
/// half of the capacity.
package struct RecentCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var recentEntries: [Key: (value: Value, cost: Int)] = [:]
    private var olderEntries: [Key: (value: Value, cost: Int)] = [:]
    private var recentCost = 0
    private let maxCost: Int

    /// Makes an empty cache.
    /// - Parameter capacity: the maximum total cost of all values, in the unit of the costs passed to `storeValue`.
    package init(capacity: Int) { self.maxCost = max(1, capacity) }

    package mutating func findValue(for key: Key) -> Value? {
        if let entry = recentEntries[key] { return entry.value }
        guard let entry = olderEntries.removeValue(forKey: key) else { return nil }
        storeValue(entry.value, for: key, cost: entry.cost)
        return entry.value
    }

    package mutating func storeValue(_ value: Value, for key: Key, cost: Int = 1) {
        if let before = recentEntries[key] { recentCost -= before.cost }
        olderEntries[key] = nil
        recentEntries[key] = (value, cost)
        recentCost += cost
        guard recentCost * 2 > maxCost else { return }
        (olderEntries, recentEntries, recentCost) = (recentEntries, [:], 0)
    }

    package mutating func removeAll() {
        (recentEntries, olderEntries, recentCost) = ([:], [:], 0)
    }
}
