import NIOCore
import Synchronization

/// What a relay does by the clock: ends idle sessions and drops expired messages.
final class Maintenance: Sendable {
    private let context: RelayContext
    private let path: String
    private let eventLoop: any EventLoop
    private let tasks = Mutex<[RepeatedTask]>([])

    init(context: RelayContext, path: String, eventLoop: any EventLoop) {
        self.context = context
        self.path = path
        self.eventLoop = eventLoop
    }

    func start() {
        let idle = max(context.configuration.idleTimeout / 4, 1)
        let expiry = max(context.configuration.expiryInterval, 1)
        expireMessages(from: 0)
        let started = [
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(idle), delay: .seconds(idle)) { _ in self.closeIdleSessions() },
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(expiry), delay: .seconds(expiry)) { _ in
                self.expireMessages(from: 0)
            },
        ]
        tasks.withLock { $0 = started }
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    private func closeIdleSessions() {
        let limit = QueueStore.now - context.configuration.idleTimeout
        for loop in context.loops.values { loop.eventLoop.execute { loop.closeIdle(before: limit) } }
    }

    /// A thousand queues at a time, so that commands are not kept waiting.
    private func expireMessages(from slot: Int) {
        guard let next = context.store.expireMessages(from: slot, count: 1000, now: QueueStore.now) else { return }
        eventLoop.execute { self.expireMessages(from: next) }
    }
}
