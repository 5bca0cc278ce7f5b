/// A cache that keeps recently used values. Each time that values of half of the capacity have been added, it drops the
/// values that were not read since the previous time.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var recentEntries: [Key: (value: Value, cost: Int)] = [:]
    private var olderEntries: [Key: (value: Value, cost: Int)] = [:]
    private var recentCost = 0
    private let capacity: Int

    /// - Parameter capacity: the total cost of all values, in the unit of the costs passed to `put`.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package mutating func value(for key: Key) -> Value? {
        if let entry = recentEntries[key] { return entry.value }
        guard let entry = olderEntries.removeValue(forKey: key) else { return nil }
        put(entry.value, for: key, cost: entry.cost)
        return entry.value
    }

    package mutating func put(_ value: Value, for key: Key, cost: Int = 1) {
        if let before = recentEntries[key] { recentCost -= before.cost }
        olderEntries[key] = nil
        recentEntries[key] = (value, cost)
        recentCost += cost
        guard recentCost * 2 > capacity else { return }
        (olderEntries, recentEntries, recentCost) = (recentEntries, [:], 0)
    }

    package mutating func removeAll() {
        (recentEntries, olderEntries, recentCost) = ([:], [:], 0)
    }
}
