public import Logging
public import NIOCore
internal import Synchronization

/// The periodic work of a relay, and the compaction of its log.
public final class RelayUpkeep: Sendable {
    private let eventLoop: any EventLoop
    private let compaction: LogCompaction
    private let threshold: Int64
    private let liveBytes: @Sendable () -> Int64
    private let snapshot: @Sendable () -> LogCompaction.Snapshot
    private let logger: Logger
    private let tasks = Mutex<[RepeatedTask]>([])
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// Checks every minute whether the log must be compacted.
    /// - Parameters:
    ///   - threshold: size of the log in bytes below which it is not compacted. A larger log is compacted when less
    ///     than half of it is needed.
    ///   - liveBytes: returns the size in bytes of a new log.
    ///   - snapshot: returns the data at the beginning of the new log.
    public init(
        eventLoop: any EventLoop,
        compaction: LogCompaction,
        threshold: Int64,
        logger: Logger,
        liveBytes: @escaping @Sendable () -> Int64,
        snapshot: @escaping @Sendable () -> LogCompaction.Snapshot
    ) {
        self.eventLoop = eventLoop
        self.compaction = compaction
        self.threshold = threshold
        self.logger = logger
        self.liveBytes = liveBytes
        self.snapshot = snapshot
        every(60) { [weak self] in self?.compactIfWorthwhile() }
    }

    /// Runs `work` on the event loop every `seconds` seconds, at least one.
    public func every(_ seconds: Int64, _ work: @escaping @Sendable () -> Void) {
        let delay = TimeAmount.seconds(max(seconds, 1))
        let task = eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { _ in work() }
        tasks.withLock { $0.append(task) }
    }

    /// Stops the periodic work, and waits until the step that is running has ended.
    public func stop() async {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await running.withLock { $0 }?.value
    }

    private func compactIfWorthwhile() {
        let size = compaction.log.size
        if size > threshold, liveBytes() < size / 2 { compact() }
    }

    /// Starts a compaction of the log, unless a compaction is running.
    private func compact() {
        running.withLock { task in
            guard task == nil else { return }
            task = Task.detached { [self] in
                do {
                    try await compaction.run(snapshot())
                } catch {
                    logger.error(
                        "The log could not be compacted.",
                        metadata: ["log": "\(compaction.path)", "error": "\(error)"]
                    )
                }
                running.withLock { $0 = nil }
            }
        }
    }

    /// Compacts the log now, and waits until this is done.
    public func compactNow() async {
        compact()
        await running.withLock { $0 }?.value
    }
}
