import NIOCore

/// A session as other sessions know it: something to tell events to, from any thread.
final class ConnectionHandle: Sendable {
    let eventLoop: any EventLoop
    private let connection: NIOLoopBoundBox<ClientConnection?>

    /// On the event loop of the session.
    init(_ connection: ClientConnection, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBoundBox(connection, eventLoop: eventLoop)
    }

    /// A message has come to a queue the session is subscribed to; its log record has this number.
    func deliver(_ queue: QueueID, number: UInt64) {
        eventLoop.execute { self.connection.value?.deliver(queue, number: number) }
    }

    /// The subscription is over: taken by another session, or the queue is deleted.
    func end(_ queue: QueueID, isDeleted: Bool, number: UInt64) {
        eventLoop.execute { self.connection.value?.subscriptionEnded(queue, isDeleted: isDeleted, number: number) }
    }

    /// On the event loop of the session, when its channel is gone.
    func detach() { connection.value = nil }
}
