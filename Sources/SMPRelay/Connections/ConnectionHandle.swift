import NIOCore
import RelayBase
import SMP

/// A handle to a client's session. Other sessions send events to the session through the handle, from any thread.
final class ConnectionHandle: Sendable {
    let eventLoop: any EventLoop
    private let connection: NIOLoopBoundBox<ClientConnection?>

    /// Makes the handle. The caller must be on the event loop of the session.
    init(_ connection: ClientConnection, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBoundBox(connection, eventLoop: eventLoop)
    }

    /// Makes the session deliver the next message of a queue to which it is subscribed.
    func deliverMessage(_ queue: QueueID) {
        eventLoop.execute { self.connection.value?.enqueueDelivery(queue) }
    }

    /// Ends the session's subscription to a queue, because another session has subscribed or the queue was deleted.
    func endSubscription(_ queue: QueueID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.didEndSubscription(queue, isDeleted: isDeleted, number: number) }
    }

    /// Passes a notification of a new message to the session. `number` is the number of the message's log record.
    func sendNotification(_ notifier: NotifierID, _ notification: Notification, number: UInt64) {
        eventLoop.execute { self.connection.value?.sendNotification(notifier, notification, number: number) }
    }

    /// Ends the session's subscription to a notifier, because another session has subscribed or the notifier was
    /// deleted.
    func endNotifier(_ notifier: NotifierID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.didEndNotifier(notifier, isDeleted: isDeleted, number: number) }
    }

    /// Ends the session's subscription as a service, because another session of the service has subscribed to all its
    /// queues or notifiers.
    func endService(_ service: ServiceID, _ lost: ServiceQueues) {
        eventLoop.execute { self.connection.value?.didEndService(service, lost) }
    }

    /// Passes the answer to PRXY or PFWD to the session. The answer may be an error of this relay.
    func passForwardingAnswer(_ message: BrokerMessage, corrID: [UInt8], entityID: [UInt8]) {
        eventLoop.execute { self.connection.value?.answerForwarding(message, corrID: corrID, entityID: entityID) }
    }

    /// Passes the answer to RSLV (the record of a name, or an error) to the session.
    func passNameAnswer(_ message: BrokerMessage, corrID: [UInt8]) {
        eventLoop.execute { self.connection.value?.answerName(message, corrID: corrID) }
    }

    /// Detaches the handle from its session, so that later events have no effect. The session calls this function on
    /// its event loop when the channel has closed.
    func detach() { connection.value = nil }
}
