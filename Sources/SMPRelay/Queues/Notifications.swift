import RelayBase
import SMP
import Synchronization

/// The sessions that are subscribed to notifiers, and the notifications that wait for a subscriber. They are only in
/// memory. Each message causes at most one notification. A notification is lost if the relay ends before it is sent,
/// but the message itself is stored in its queue.
final class Notifications: Sendable {
    private struct State {
        var subscribers: [NotifierID: ConnectionHandle] = [:]
        var waitingNotifications: [NotifierID: [Notification]] = [:]
        var waitingCount = 0

        mutating func removeWaitingNotifications(_ id: NotifierID) -> [Notification] {
            let taken = waitingNotifications.removeValue(forKey: id) ?? []
            waitingCount -= taken.count
            return taken
        }
    }
    private let state = Mutex(State())

    /// The limits of waiting notifications. Above `maxWaitingPerNotifier`, the oldest notification of a notifier is
    /// dropped. At `maxWaitingNotifications`, the limit for all notifiers together, a new notification is dropped.
    /// Dropping notifications does no harm, because one notification is enough to wake a device.
    private static let maxWaitingPerNotifier = 8
    private static let maxWaitingNotifications = 100_000

    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Subscribes a session to a notifier.
    /// - Returns: the previous subscriber if it is another session, and the notifications that waited for a subscriber.
    func subscribeToNotifier(
        _ id: NotifierID,
        _ subscriber: ConnectionHandle
    ) -> (previous: ConnectionHandle?, waiting: [Notification]) {
        state.withLock { state in
            let previous = state.subscribers.updateValue(subscriber, forKey: id)
            return (previous === subscriber ? nil : previous, state.removeWaitingNotifications(id))
        }
    }

    func isSubscribed(_ id: NotifierID, _ subscriber: ConnectionHandle) -> Bool {
        state.withLock { $0.subscribers[id] === subscriber }
    }

    /// Removes the subscriptions of a session that has closed.
    func unsubscribeFromNotifiers(_ ids: some Sequence<NotifierID>, _ subscriber: ConnectionHandle) {
        state.withLock { state in
            for id in ids where state.subscribers[id] === subscriber { state.subscribers[id] = nil }
        }
    }

    /// Removes a notifier that was deleted or replaced, and its waiting notifications.
    /// - Returns: the session that was subscribed to the notifier.
    func removeNotifier(_ id: NotifierID) -> ConnectionHandle? {
        state.withLock { state in
            _ = state.removeWaitingNotifications(id)
            return state.subscribers.removeValue(forKey: id)
        }
    }

    /// Returns the session that is subscribed to the notifier. Without a session, stores the notification within the
    /// limits, and returns nil.
    func keepUnlessSubscribed(_ notification: Notification, for id: NotifierID) -> ConnectionHandle? {
        state.withLock { state in
            if let subscriber = state.subscribers[id] { return subscriber }
            guard state.waitingCount < Self.maxWaitingNotifications else { return nil }
            state.waitingNotifications[id, default: []].append(notification)
            state.waitingCount += 1
            if let count = state.waitingNotifications[id]?.count, count > Self.maxWaitingPerNotifier {
                state.waitingNotifications[id]?.removeFirst()
                state.waitingCount -= 1
            }
            return nil
        }
    }
}
