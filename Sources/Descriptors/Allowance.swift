import Synchronization

/// A number of things of one kind that may be there at a time.
public final class Allowance: Sendable {
    public let limit: Int
    private let taken = Atomic(0)

    public init(_ limit: Int) { self.limit = limit }

    /// The number in use now.
    public var inUse: Int { taken.load(ordering: .relaxed) }

    public var isFull: Bool { inUse >= limit }

    /// - Returns: whether there was room. A successful caller gives back, once.
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
