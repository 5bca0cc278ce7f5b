import NIOCore
import RelayBase

/// The relay's periodic work: ends idle sessions, deletes expired files, compacts the log.
final class FileMaintenance: Sendable {
    private let context: FileRelayContext
    private let eventLoop: any EventLoop
    private let upkeep: RelayUpkeep

    init(context: FileRelayContext, eventLoop: any EventLoop) {
        self.context = context
        self.eventLoop = eventLoop
        let store = context.store
        upkeep = RelayUpkeep(
            eventLoop: eventLoop,
            compaction: LogCompaction(log: store.log, path: context.configuration.log, FileLogRecord.format),
            threshold: context.configuration.compactionThreshold,
            logger: context.logger,
            liveBytes: { store.liveBytes },
            snapshot: { store.snapshot }
        )
    }

    func start() {
        expireFiles()
        upkeep.every(context.configuration.expiryInterval) { self.expireFiles() }
        upkeep.every(context.configuration.idleTimeout / 4) { self.closeIdleSessions() }
    }

    /// Stops the periodic work, and waits until the step that is running has ended.
    func stop() async { await upkeep.stop() }

    /// Compacts the log now, and waits until this is done.
    func compactNow() async { await upkeep.compactNow() }

    private func closeIdleSessions() {
        let limit = FileStore.now - context.configuration.idleTimeout
        for loop in context.loops.values { loop.eventLoop.execute { loop.closeIdle(before: limit) } }
    }

    /// Deletes expired files, a thousand at a time, so that commands do not wait long for the lock.
    func expireFiles(now: Int64 = FileStore.now) {
        guard let (ids, number) = context.store.expire(now: now, count: 1000) else { return }
        FileRelayCounters.count(context.counters.filesExpired, ids.count)
        context.removeContents(ids, after: number)
        eventLoop.execute { self.expireFiles(now: now) }
    }
}
