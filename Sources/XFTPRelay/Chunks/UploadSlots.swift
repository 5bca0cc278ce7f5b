import DequeModule
import Synchronization

/// The slots of concurrent uploads. Further uploads wait in the order of their arrival, and the relay does not read
/// from their clients.
final class UploadSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<@Sendable () -> Void> = []
    }
    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: max(count, 1))) }

    /// Calls `ready` when a slot is free: immediately, or later on any thread. The caller returns the slot with
    /// ``giveBack()``.
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
