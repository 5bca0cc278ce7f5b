import Synchronization

/// Decides which connection runs a read that waits for the writer.
final class ReadClaim: Sendable {
    enum Owner: UInt8, AtomicRepresentable { case none, writer, reader }

    private let owner = Atomic(Owner.none)

    /// Takes the read, once.
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
