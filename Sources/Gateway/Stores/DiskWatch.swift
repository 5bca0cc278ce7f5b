internal import Concurrency
internal import Synchronization

/// Watches the free bytes on the disk of a folder. The disk is read on another thread, because a disk that other
/// machines share may be silent. Callers wait at most ``maxWait`` for a reading.
final class DiskWatch: Sendable {
    enum Reading: Equatable, Sendable {
        case free(UInt64)
        /// The disk has not answered for ``silenceTimeout``.
        case noAnswer

        /// The number of free bytes; 0 while the disk is silent.
        var freeBytes: UInt64 { if case .free(let bytes) = self { bytes } else { 0 } }
    }

    private struct State {
        var freeBytes: UInt64
        var readTime: ContinuousClock.Instant
        /// The time at which the running reading began.
        var readingStart: ContinuousClock.Instant?
    }

    /// The time for which a value is used.
    private static let maxAge = Duration.seconds(1)
    /// The maximal time in which a caller waits for a reading. After this time, the caller gets the last value.
    static let maxWait = Duration.milliseconds(500)
    /// The time after which a disk without an answer counts as silent.
    static let silenceTimeout = Duration.seconds(5)

    private let folder: String
    private let readFreeBytes: @Sendable (String) -> UInt64
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    private let maxWait: Duration
    /// Waits for the end of a reading.
    private let readingEnds = CompletionWaiters<String>()

    /// Makes the first reading, which may block.
    init(
        _ folder: String,
        read: @escaping @Sendable (String) -> UInt64,
        maxWait: Duration = DiskWatch.maxWait,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.folder, self.readFreeBytes, self.maxWait, self.now) = (folder, read, maxWait, now)
        state = Mutex(State(freeBytes: read(folder), readTime: now()))
    }

    /// Returns the last reading. If this reading is old, another one starts, and the caller waits for it.
    func refreshLatestReading() async -> Reading {
        let end = readingEnds.expectCompletion(folder)
        let last = takeLatestReading()
        if last == .noAnswer || !state.withLock({ $0.readingStart != nil }) { readingEnds.reportCompletion(folder) }
        await readingEnds.waitForCompletion(for: end, of: folder, atMost: maxWait)
        return takeLatestReading()
    }

    /// Returns the last reading without a wait, and starts another one if the last one is old.
    func takeLatestReading() -> Reading {
        let now = now()
        let (reading, starts) = state.withLock { state -> (Reading, Bool) in
            if let begun = state.readingStart {
                return (now - begun > Self.silenceTimeout ? .noAnswer : .free(state.freeBytes), false)
            }
            let isOld = now - state.readTime > Self.maxAge
            if isOld { state.readingStart = now }
            return (.free(state.freeBytes), isOld)
        }
        if starts { BlockingThread.runOnThread { self.refreshReading() } }
        return reading
    }

    private func refreshReading() {
        let bytes = readFreeBytes(folder)
        state.withLock { $0 = State(freeBytes: bytes, readTime: now()) }
        readingEnds.reportCompletion(folder)
    }
}
