internal import Concurrency
internal import Synchronization

/// The order in which a backup copies open stores. A write to a store waits until the copy of the store has begun. So
/// stores with waiting writes come first.
final class CopyOrder: Sendable {
    private struct State {
        /// The stores whose copies have not begun.
        var remainingStores: Set<Int>
        /// Stores for which a write waits, in the order of the first writes. The copies of some of these stores may
        /// have begun already.
        var awaitedStores: [Int] = []
        var nextStore = 0
    }

    private let state: Mutex<State>
    private let changeSignal = WakeSignal()

    /// - Parameter count: the number of stores. Their numbers begin with 0.
    init(count: Int) { state = Mutex(State(remainingStores: Set(0..<count))) }

    /// Moves a store forward in the order, because a write waits until the copy of the store has begun.
    func recordWaitingWrite(_ store: Int) {
        state.withLock { $0.awaitedStores.append(store) }
        changeSignal.wake()
    }

    /// Returns the next store, and marks the copy of this store as begun.
    /// - Parameter isForAwaited: true to get only stores for which a write waits. The call then pauses until there is
    ///   such a store.
    /// - Returns: nil when all copies have begun.
    /// - Throws: `CancellationError`.
    func takeNextStore(isForAwaited: Bool) async throws -> Int? {
        while true {
            let (store, isOver) = state.withLock { state -> (Int?, Bool) in
                while !state.awaitedStores.isEmpty {
                    let store = state.awaitedStores.removeFirst()
                    if state.remainingStores.remove(store) != nil { return (store, state.remainingStores.isEmpty) }
                }
                while !isForAwaited, !state.remainingStores.isEmpty {
                    defer { state.nextStore += 1 }
                    if state.remainingStores.remove(state.nextStore) != nil {
                        return (state.nextStore, state.remainingStores.isEmpty)
                    }
                }
                return (nil, state.remainingStores.isEmpty)
            }
            // A caller that finds no store left wakes the waiting callers, so that they end too.
            if isOver { changeSignal.wake() }
            if store != nil || isOver { return store }
            guard await changeSignal.waitForSignal() else { throw CancellationError() }
        }
    }
}
