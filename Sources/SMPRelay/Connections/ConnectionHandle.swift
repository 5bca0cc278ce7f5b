import NIOCore
import RelayBase
import SMP

/// Another session's view of a session: it accepts events from any thread.
final class ConnectionHandle: Sendable {
    let eventLoop: any EventLoop
    private let connection: NIOLoopBoundBox<ClientConnection?>

    /// On the event loop of the session.
    init(_ connection: ClientConnection, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBoundBox(connection, eventLoop: eventLoop)
    }

    /// A message has come to a queue the session is subscribed to.
    func deliver(_ queue: QueueID) {
        eventLoop.execute { self.connection.value?.deliver(queue) }
    }

    /// Ends the subscription: another session has taken it, or the queue was deleted.
    func end(_ queue: QueueID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.subscriptionEnded(queue, isDeleted: isDeleted, number: number) }
    }

    /// A notification of a message whose log record has this number.
    func notify(_ notifier: NotifierID, _ notification: Notification, number: UInt64) {
        eventLoop.execute { self.connection.value?.notify(notifier, notification, number: number) }
    }

    /// Ends the subscription to notifications: another session has taken it, or the notifier was deleted.
    func endNotifier(_ notifier: NotifierID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.notifierEnded(notifier, isDeleted: isDeleted, number: number) }
    }

    /// Another session of the service has subscribed to all that belongs to it.
    func endService(_ service: ServiceID, _ lost: ServiceQueues) {
        eventLoop.execute { self.connection.value?.serviceEnded(service, lost) }
    }

    /// The answer to a command that took its time.
    func answer(_ message: BrokerMessage, corrID: [UInt8], entityID: [UInt8]) {
        eventLoop.execute { self.connection.value?.answerForwarding(message, corrID: corrID, entityID: entityID) }
    }

    /// On the event loop of the session, when its channel is gone.
    func detach() { connection.value = nil }
}
