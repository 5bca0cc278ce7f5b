/// A cache that keeps recently used values. Each time that values of half of the capacity have been added, it drops the
/// values that were not read since the previous time.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: (value: Value, cost: Int)] = [:]
    private var old: [Key: (value: Value, cost: Int)] = [:]
    private var youngCost = 0
    private let capacity: Int

    /// - Parameter capacity: the total cost of all values, in the unit of the costs passed to `put`.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package mutating func value(for key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        put(entry.value, for: key, cost: entry.cost)
        return entry.value
    }

    package mutating func put(_ value: Value, for key: Key, cost: Int = 1) {
        if let before = young[key] { youngCost -= before.cost }
        old[key] = nil
        young[key] = (value, cost)
        youngCost += cost
        guard youngCost * 2 > capacity else { return }
        (old, young, youngCost) = (young, [:], 0)
    }

    package mutating func removeAll() {
        (young, old, youngCost) = ([:], [:], 0)
    }
}
