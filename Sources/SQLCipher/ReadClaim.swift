import Synchronization

/// Decides whether the writer's connection or a reader's connection runs a waiting read. The first connection that
/// takes the read runs it.
final class ReadClaim: Sendable {
    enum Owner: UInt8, AtomicRepresentable { case none, writer, reader }

    private let owner = Atomic(Owner.none)

    /// Takes the read for a connection, if no other connection has taken it.
    /// - Returns: whether this owner has the read now, or had it already.
    func take(for new: Owner) -> Bool {
        let (isTaken, present) = owner.compareExchange(
            expected: .none,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        return isTaken || present == new
    }
}
