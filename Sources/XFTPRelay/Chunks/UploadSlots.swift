import DequeModule
import Synchronization

/// Limits the number of concurrent uploads. Further uploads wait for a slot in the order of their arrival. While an
/// upload waits, the relay does not read from its client.
final class UploadSlots: Sendable {
    private struct State {
        var freeCount: Int
        var waitingCallbacks: Deque<@Sendable () -> Void> = []
    }
    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(freeCount: max(count, 1))) }

    /// Calls `ready` when a slot is free, either immediately or later on any thread. The caller must give the slot back
    /// with ``returnSlot()``.
    func takeSlot(_ ready: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.freeCount > 0 {
                state.freeCount -= 1
                return true
            }
            state.waitingCallbacks.append(ready)
            return false
        }
        if isFree { ready() }
    }

    func returnSlot() {
        let next = state.withLock { state in
            let next = state.waitingCallbacks.popFirst()
            if next == nil { state.freeCount += 1 }
            return next
        }
        next?()
    }
}
