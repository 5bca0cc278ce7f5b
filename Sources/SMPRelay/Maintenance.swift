import NIOCore
import RelayBase
import Synchronization

/// The relay's periodic work: ends idle sessions, drops expired messages, compacts the log.
final class Maintenance: Sendable {
    private let context: RelayContext
    private let path: String
    private let eventLoop: any EventLoop
    private let tasks = Mutex<[RepeatedTask]>([])
    private let compaction = Mutex<Task<Void, Never>?>(nil)

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
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(60), delay: .seconds(60)) { _ in self.compactIfWorthwhile() },
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(idle), delay: .seconds(idle)) { _ in self.closeIdleSessions() },
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(expiry), delay: .seconds(expiry)) { _ in
                self.expireMessages(from: 0)
            },
        ]
        tasks.withLock { $0 = started }
    }

    /// Returns when nothing is under way any more.
    func stop() async {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await compaction.withLock { $0 }?.value
    }

    private func compactIfWorthwhile() {
        guard context.store.isCompactionWorthwhile(threshold: context.configuration.compactionThreshold) else { return }
        compact()
    }

    /// Starts a compaction of the log, unless one is running.
    private func compact() {
        compaction.withLock { task in
            guard task == nil else { return }
            task = Task.detached { [context, path] in
                do {
                    try await LogCompaction(log: context.store.log, path: path, LogRecord.format).run(context.store.snapshot)
                } catch {
                    context.logger.error("The log could not be written anew.", metadata: ["error": "\(error)"])
                }
                self.compaction.withLock { $0 = nil }
            }
        }
    }

    /// Compacts the log now, and returns when that is done.
    func compactNow() async {
        compact()
        await compaction.withLock { $0 }?.value
    }

    private func closeIdleSessions() {
        let limit = QueueStore.now - context.configuration.idleTimeout
        for loop in context.loops.values { loop.eventLoop.execute { loop.closeIdle(before: limit) } }
    }

    /// A thousand queues at a time, so that commands do not wait long for the lock.
    private func expireMessages(from slot: Int) {
        guard let next = context.store.expireMessages(from: slot, count: 1000, now: QueueStore.now) else { return }
        eventLoop.execute { self.expireMessages(from: next) }
    }
}
