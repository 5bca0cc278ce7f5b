import Clocks
package import Logging
package import NIOCore
import Synchronization

/// The periodic work of a relay: it ends idle sessions, and compacts the log.
package final class RelayUpkeep: Sendable {
    let log: LogWriter
    let loops: [any SessionLoop]
    private let compaction: LogCompaction
    private let compactionThresholdBytes: Int64
    private let eventLoop: any EventLoop
    private let estimateLogBytes: @Sendable () -> Int64
    private let takeSnapshot: @Sendable () -> LogCompaction.Snapshot
    private let logger: Logger
    private let tasks = Mutex<[RepeatedTask]>([])
    private let compactionTask = Mutex<Task<Void, Never>?>(nil)

    /// Starts the periodic work of a relay.
    /// - Parameters:
    ///   - loops: the sessions of the relay on each event loop.
    ///   - estimatedLogBytes: a function that estimates the size in bytes of a compacted log.
    ///   - snapshot: a function that returns the present data, with which the compacted log begins.
    package init(
        _ settings: any RelaySettings,
        log: LogWriter,
        _ format: LogHeader,
        loops: [any SessionLoop],
        eventLoop: any EventLoop,
        logger: Logger,
        estimatedLogBytes: @escaping @Sendable () -> Int64,
        snapshot: @escaping @Sendable () -> LogCompaction.Snapshot
    ) {
        self.log = log
        self.loops = loops
        compaction = LogCompaction(log: log, path: settings.logPath, format)
        compactionThresholdBytes = settings.compactionThresholdBytes
        self.eventLoop = eventLoop
        self.logger = logger
        self.estimateLogBytes = estimatedLogBytes
        self.takeSnapshot = snapshot
        runEvery(60) { [weak self] in self?.compactLogIfWorthwhile() }
        let idleTimeout = settings.idleTimeoutSeconds
        runEvery(idleTimeout / 4) {
            let limit = WallClock.seconds() - idleTimeout
            for loop in loops { loop.eventLoop.execute { loop.closeIdleSessions(before: limit) } }
        }
    }

    /// The path of the relay's log.
    var logPath: String { compaction.path }

    /// Runs `work` on the event loop repeatedly, with pauses of `seconds` seconds (at least one).
    package func runEvery(_ seconds: Int64, _ work: @escaping @Sendable () -> Void) {
        let delay = TimeAmount.seconds(max(seconds, 1))
        let task = eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { _ in work() }
        tasks.withLock { $0.append(task) }
    }

    /// Stops the periodic work, and waits for a compaction that is running.
    package func stopAndWait() async {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await compactionTask.withLock { $0 }?.value
    }

    private func compactLogIfWorthwhile() {
        let size = compaction.log.sizeWithPendingRecords
        if size > compactionThresholdBytes, estimateLogBytes() < size / 2 { startCompaction() }
    }

    /// Starts a compaction of the log if no compaction is running.
    private func startCompaction() {
        compactionTask.withLock { task in
            guard task == nil else { return }
            task = Task.detached { [self] in
                do {
                    try await compaction.compactLog(takeSnapshot())
                } catch {
                    logger.error(
                        "The log could not be compacted.",
                        metadata: ["log": "\(compaction.path)", "error": "\(error)"]
                    )
                }
                compactionTask.withLock { $0 = nil }
            }
        }
    }

    /// Compacts the log now, and waits for the end of the compaction.
    package func compactLogNow() async {
        startCompaction()
        await compactionTask.withLock { $0 }?.value
    }
}
