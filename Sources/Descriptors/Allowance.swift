import Synchronization

/// A limited number of units of one kind, for example open connections.
public final class Allowance: Sendable {
    public let limit: Int
    private let taken = Atomic(0)

    public init(_ limit: Int) { self.limit = limit }

    /// The number of units in use now.
    public var inUse: Int { taken.load(ordering: .relaxed) }

    public var isFull: Bool { inUse >= limit }

    /// Takes one unit. A successful caller returns the unit once with ``giveBack()``.
    /// - Returns: whether a unit was free.
    public func take() -> Bool {
        var seen = taken.load(ordering: .relaxed)
        while seen < limit {
            let (exchanged, original) = taken.weakCompareExchange(expected: seen, desired: seen + 1, ordering: .relaxed)
            if exchanged { return true }
            seen = original
        }
        return false
    }

    public func giveBack() { taken.subtract(1, ordering: .relaxed) }
}
