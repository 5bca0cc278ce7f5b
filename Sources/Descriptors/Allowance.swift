import Synchronization

/// A limited number of units of one kind, for example open connections.
package final class Allowance: Sendable {
    package let limit: Int
    private let takenCount = Atomic(0)

    package init(_ limit: Int) { self.limit = limit }

    /// The number of units in use now.
    package var inUse: Int { takenCount.load(ordering: .relaxed) }

    package var isFull: Bool { inUse >= limit }

    /// Takes one unit. A successful caller returns the unit once with ``giveBack()``.
    /// - Returns: whether a unit was free.
    package func take() -> Bool {
        var seen = takenCount.load(ordering: .relaxed)
        while seen < limit {
            let (exchanged, original) = takenCount.weakCompareExchange(
                expected: seen,
                desired: seen + 1,
                ordering: .relaxed
            )
            if exchanged { return true }
            seen = original
        }
        return false
    }

    package func giveBack() { takenCount.subtract(1, ordering: .relaxed) }
}
