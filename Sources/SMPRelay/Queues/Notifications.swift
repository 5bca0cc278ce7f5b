import SMP
import Synchronization

/// Which sessions are subscribed to notifications, and what waits for those that are not. Kept in memory only: a message is told of at most once,
/// and not at all when the relay ends before; the message itself is kept in its queue.
final class Notifications: Sendable {
    private struct State {
        var subscribers: [NotifierID: ConnectionHandle] = [:]
        var waiting: [NotifierID: [Notification]] = [:]
        var waitingCount = 0

        mutating func take(_ id: NotifierID) -> [Notification] {
            let taken = waiting.removeValue(forKey: id) ?? []
            waitingCount -= taken.count
            return taken
        }
    }
    private let state = Mutex(State())

    /// What waits for one notifier, and for all together, at most. The oldest go first: one is enough to wake somebody.
    private static let maxWaiting = 8
    private static let maxWaitingOfAll = 100_000

    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// - Returns: the session that was subscribed before, if another, and what has waited.
    func subscribe(_ id: NotifierID, _ subscriber: ConnectionHandle) -> (previous: ConnectionHandle?, waiting: [Notification]) {
        state.withLock { state in
            let previous = state.subscribers.updateValue(subscriber, forKey: id)
            return (previous === subscriber ? nil : previous, state.take(id))
        }
    }

    func isSubscribed(_ id: NotifierID, _ subscriber: ConnectionHandle) -> Bool {
        state.withLock { $0.subscribers[id] === subscriber }
    }

    /// Ends subscriptions of a session that is gone.
    func unsubscribe(_ ids: some Sequence<NotifierID>, _ subscriber: ConnectionHandle) {
        state.withLock { state in
            for id in ids where state.subscribers[id] === subscriber { state.subscribers[id] = nil }
        }
    }

    /// The notifier is no more.
    /// - Returns: the session that was subscribed.
    func remove(_ id: NotifierID) -> ConnectionHandle? {
        state.withLock { state in
            _ = state.take(id)
            return state.subscribers.removeValue(forKey: id)
        }
    }

    /// The session to tell; when there is none, the notification waits.
    func add(_ notification: Notification, for id: NotifierID) -> ConnectionHandle? {
        state.withLock { state in
            if let subscriber = state.subscribers[id] { return subscriber }
            guard state.waitingCount < Self.maxWaitingOfAll else { return nil }
            state.waiting[id, default: []].append(notification)
            state.waitingCount += 1
            if let count = state.waiting[id]?.count, count > Self.maxWaiting {
                state.waiting[id]?.removeFirst()
                state.waitingCount -= 1
            }
            return nil
        }
    }
}
