import NIOCore
import RelayBase
import Synchronization

/// The relay's periodic work: ends idle sessions, deletes files that are too old, compacts the log.
final class FileMaintenance: Sendable {
    private let context: FileRelayContext
    private let eventLoop: any EventLoop
    private let tasks = Mutex<[RepeatedTask]>([])
    private let compaction = Mutex<Task<Void, Never>?>(nil)

    init(context: FileRelayContext, eventLoop: any EventLoop) {
        self.context = context
        self.eventLoop = eventLoop
    }

    func start() {
        let idle = max(context.configuration.idleTimeout / 4, 1)
        let expiry = max(context.configuration.expiryInterval, 1)
        expireFiles()
        let started = [
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(60), delay: .seconds(60)) { _ in self.compactIfWorthwhile() },
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(idle), delay: .seconds(idle)) { _ in self.closeIdleSessions() },
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(expiry), delay: .seconds(expiry)) { _ in self.expireFiles() },
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
            task = Task.detached { [context] in
                do {
                    try await LogCompaction(log: context.store.log, path: context.configuration.log, FileRecord.format).run(context.store.snapshot)
                } catch {
                    context.logger.error("The log of files could not be written anew.", metadata: ["error": "\(error)"])
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
        let limit = FileStore.now - context.configuration.idleTimeout
        for loop in context.loops.values { loop.eventLoop.execute { loop.closeIdle(before: limit) } }
    }

    /// A thousand files at a time, so that commands do not wait long for the lock.
    func expireFiles(now: Int64 = FileStore.now) {
        guard let (ids, number) = context.store.expire(now: now, count: 1000) else { return }
        FileRelayCounters.count(context.counters.filesExpired, ids.count)
        context.removeContents(ids, after: number)
        eventLoop.execute { self.expireFiles(now: now) }
    }
}
