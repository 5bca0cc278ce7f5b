import DequeModule
import Synchronization

/// The uploads that may be received at a time. Further ones wait in the order in which they came, and their clients are not read from.
final class UploadSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<@Sendable () -> Void> = []
    }
    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: max(count, 1))) }

    /// Calls `ready` when there is a slot, at once or later on any thread. It gives the slot back by ``giveBack()``.
    func take(_ ready: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.waiting.append(ready)
            return false
        }
        if isFree { ready() }
    }

    func giveBack() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?()
    }
}
