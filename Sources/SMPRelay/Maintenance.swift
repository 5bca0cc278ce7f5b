import NIOCore
import RelayBase

/// The relay's periodic work: ends idle sessions, drops expired messages, compacts the log.
final class Maintenance: Sendable {
    private let context: RelayContext
    private let eventLoop: any EventLoop
    private let upkeep: RelayUpkeep

    init(context: RelayContext, path: String, eventLoop: any EventLoop) {
        self.context = context
        self.eventLoop = eventLoop
        let store = context.store
        upkeep = RelayUpkeep(
            eventLoop: eventLoop,
            compaction: LogCompaction(log: store.log, path: path, LogRecord.format),
            threshold: context.configuration.compactionThreshold,
            logger: context.logger,
            liveBytes: { store.liveBytes },
            snapshot: { store.snapshot }
        )
    }

    func start() {
        expireMessages(from: 0)
        upkeep.every(context.configuration.expiryInterval) { self.expireMessages(from: 0) }
        upkeep.every(context.configuration.idleTimeout / 4) { self.closeIdleSessions() }
    }

    /// Stops the work, and waits until the running step has ended.
    func stop() async { await upkeep.stop() }

    /// Compacts the log now, and waits until this is done.
    func compactNow() async { await upkeep.compactNow() }

    private func closeIdleSessions() {
        let limit = QueueStore.now - context.configuration.idleTimeout
        for loop in context.loops.values { loop.eventLoop.execute { loop.closeIdle(before: limit) } }
    }

    /// Drops expired messages of a thousand queues at a time, so that commands do not wait long for the lock.
    private func expireMessages(from slot: Int) {
        guard let next = context.store.expireMessages(from: slot, count: 1000, now: QueueStore.now) else { return }
        eventLoop.execute { self.expireMessages(from: next) }
    }
}
