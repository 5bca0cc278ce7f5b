import NIOCore
import RelayBase
import SMP

/// A handle with which other sessions send events to a session, from any thread.
final class ConnectionHandle: Sendable {
    let eventLoop: any EventLoop
    private let connection: NIOLoopBoundBox<ClientConnection?>

    /// Makes the handle. The caller must be on the event loop of the session.
    init(_ connection: ClientConnection, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBoundBox(connection, eventLoop: eventLoop)
    }

    /// Delivers a message from a queue that the session is subscribed to.
    func deliverMessage(_ queue: QueueID) {
        eventLoop.execute { self.connection.value?.enqueueDelivery(queue) }
    }

    /// Ends the subscription, because another session has subscribed or the queue was deleted.
    func endSubscription(_ queue: QueueID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.didEndSubscription(queue, isDeleted: isDeleted, number: number) }
    }

    /// Delivers a notification of a message whose log record has this number.
    func sendNotification(_ notifier: NotifierID, _ notification: Notification, number: UInt64) {
        eventLoop.execute { self.connection.value?.sendNotification(notifier, notification, number: number) }
    }

    /// Ends the subscription to notifications, because another session has subscribed or the notifier was deleted.
    func endNotifier(_ notifier: NotifierID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.didEndNotifier(notifier, isDeleted: isDeleted, number: number) }
    }

    /// Ends a service's subscription, because another session of the service has subscribed to all its queues.
    func endService(_ service: ServiceID, _ lost: ServiceQueues) {
        eventLoop.execute { self.connection.value?.didEndService(service, lost) }
    }

    /// Passes the answer to a forwarded command to the session.
    func passForwardingAnswer(_ message: BrokerMessage, corrID: [UInt8], entityID: [UInt8]) {
        eventLoop.execute { self.connection.value?.answerForwarding(message, corrID: corrID, entityID: entityID) }
    }

    /// Passes the answer to RSLV to the session.
    func passNameAnswer(_ message: BrokerMessage, corrID: [UInt8]) {
        eventLoop.execute { self.connection.value?.answerName(message, corrID: corrID) }
    }

    /// Ends the connection to the session. The caller is on the event loop of the session, whose channel was closed.
    func detach() { connection.value = nil }
}
