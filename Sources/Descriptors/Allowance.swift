import Synchronization

/// A limited number of units of one kind, for example open connections.
package final class Allowance: Sendable {
    package let maxUnits: Int
    private let takenCount = Atomic(0)

    package init(_ limit: Int) { self.maxUnits = limit }

    /// The number of units in use now.
    package var inUseCount: Int { takenCount.load(ordering: .relaxed) }

    package var isFull: Bool { inUseCount >= maxUnits }

    /// Takes one unit. A successful caller returns the unit once with ``returnUnit()``.
    /// - Returns: whether a unit was free.
    package func takeUnit() -> Bool {
        var seen = takenCount.load(ordering: .relaxed)
        while seen < maxUnits {
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

    package func returnUnit() { takenCount.subtract(1, ordering: .relaxed) }
}
