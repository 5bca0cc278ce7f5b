import Synchronization

/// Delivers events to a handler one after another, in the order in which threads added them.
///
/// A caller adds events while it holds the lock of the state that the events describe. The caller delivers the events
/// after it has released this lock, so that the handler may use the state.
package final class OrderedEvents<Event: Sendable>: Sendable {
    private struct State {
        var waitingEvents: [Event] = []
        var isDelivering = false
    }
    private let state = Mutex(State())
    private let handleEvent: @Sendable (Event) -> Void

    package init(_ handler: @escaping @Sendable (Event) -> Void) { self.handleEvent = handler }

    package func addEvent(_ event: Event) {
        state.withLock { $0.waitingEvents.append(event) }
    }

    /// Passes the added events to the handler, unless another thread is passing events.
    package func deliverEvents() {
        while true {
            let events = state.withLock { state -> [Event] in
                guard !state.isDelivering, !state.waitingEvents.isEmpty else { return [] }
                state.isDelivering = true
                defer { state.waitingEvents = [] }
                return state.waitingEvents
            }
            guard !events.isEmpty else { return }
            for event in events { handleEvent(event) }
            state.withLock { $0.isDelivering = false }
        }
    }
}
