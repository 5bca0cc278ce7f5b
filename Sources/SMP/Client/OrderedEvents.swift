import Synchronization

/// Hands events to a handler one after another, in the order in which they were added, whichever threads add them.
///
/// Adding is done under the lock of the state that the events tell of, delivering outside of it: so the handler may call back.
final class OrderedEvents<Event: Sendable>: Sendable {
    private struct State {
        var waiting: [Event] = []
        var isDelivering = false
    }
    private let state = Mutex(State())
    private let handler: @Sendable (Event) -> Void

    init(_ handler: @escaping @Sendable (Event) -> Void) { self.handler = handler }

    func add(_ event: Event) {
        state.withLock { $0.waiting.append(event) }
    }

    /// Delivers what was added, unless another thread is about it: then that one does.
    func deliver() {
        while true {
            let events = state.withLock { state -> [Event] in
                guard !state.isDelivering, !state.waiting.isEmpty else { return [] }
                state.isDelivering = true
                defer { state.waiting = [] }
                return state.waiting
            }
            guard !events.isEmpty else { return }
            for event in events { handler(event) }
            state.withLock { $0.isDelivering = false }
        }
    }
}
