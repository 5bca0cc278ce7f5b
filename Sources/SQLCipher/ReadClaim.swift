import Synchronization

/// Decides whether the writer's connection or a reader's connection runs a waiting read. The first connection that
/// takes the read runs it.
final class ReadClaim: Sendable {
    enum Owner: UInt8, AtomicRepresentable { case none, writer, reader }

    private let owner = Atomic(Owner.none)

    /// Takes the read for a kind of connection (`new`), if the other kind has not taken it.
    /// - Returns: whether the read now belongs to `new`, also if it already belonged to `new` before.
    func take(for new: Owner) -> Bool {
        let (isTaken, present) = owner.compareExchange(
            expected: .none,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        return isTaken || present == new
    }
}
