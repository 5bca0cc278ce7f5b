import Synchronization

/// A limited number of units of one kind, for example open connections.
package final class Allowance: Sendable {
    package let limit: Int
    private let taken = Atomic(0)

    package init(_ limit: Int) { self.limit = limit }

    /// The number of units in use now.
    package var inUse: Int { taken.load(ordering: .relaxed) }

    package var isFull: Bool { inUse >= limit }

    /// Takes one unit. A successful caller returns the unit once with ``giveBack()``.
    /// - Returns: whether a unit was free.
    package func take() -> Bool {
        var seen = taken.load(ordering: .relaxed)
        while seen < limit {
            let (exchanged, original) = taken.weakCompareExchange(expected: seen, desired: seen + 1, ordering: .relaxed)
            if exchanged { return true }
            seen = original
        }
        return false
    }

    package func giveBack() { taken.subtract(1, ordering: .relaxed) }
}
