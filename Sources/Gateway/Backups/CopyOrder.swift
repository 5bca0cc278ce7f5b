internal import Concurrency
internal import Synchronization

/// The order in which a backup copies open stores: first the stores for which a write waits.
final class CopyOrder: Sendable {
    private struct State {
        /// The stores whose copies have not begun.
        var left: Set<Int>
        /// Stores for which a write waits, in the order of the first writes. The copies of some of these stores may
        /// have begun already.
        var awaited: [Int] = []
        var next = 0
    }

    private let state: Mutex<State>
    private let changed = WakeSignal()

    /// - Parameter count: the number of stores. Their numbers begin with 0.
    init(count: Int) { state = Mutex(State(left: Set(0..<count))) }

    /// Notes that a write waits for the copy of a store.
    func noteWaiting(_ store: Int) {
        state.withLock { $0.awaited.append(store) }
        changed.signal()
    }

    /// Returns the next store, and records that its copy begins.
    /// - Parameter isForAwaited: whether only a store for which a write waits is returned. The call waits for such a
    ///   store.
    /// - Returns: nil when all copies have begun.
    /// - Throws: `CancellationError`.
    func next(isForAwaited: Bool) async throws -> Int? {
        while true {
            let (store, isOver) = state.withLock { state -> (Int?, Bool) in
                while !state.awaited.isEmpty {
                    let store = state.awaited.removeFirst()
                    if state.left.remove(store) != nil { return (store, state.left.isEmpty) }
                }
                while !isForAwaited, !state.left.isEmpty {
                    defer { state.next += 1 }
                    if state.left.remove(state.next) != nil { return (state.next, state.left.isEmpty) }
                }
                return (nil, state.left.isEmpty)
            }
            // A caller that finds no store left wakes the waiting callers, so that they end too.
            if isOver { changed.signal() }
            if store != nil || isOver { return store }
            guard await changed.wait() else { throw CancellationError() }
        }
    }
}
