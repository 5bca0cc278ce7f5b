internal import Concurrency
internal import Files
internal import Synchronization

/// Watches the free bytes on the disk of a folder. The disk is read on a thread of its own, because a broken disk, or a
/// disk that other machines share, may not answer. Callers wait at most ``Settings/maxWait`` for a reading.
final class DiskWatch: Sendable {
    struct Settings: Sendable {
        /// Returns the free bytes on the disk of a folder. It may block the thread.
        var readFreeBytes: @Sendable (_ folder: String) -> UInt64 = { DiskFiles.readFreeBytes(at: $0) }
        /// The maximal time in which a caller waits for a reading. After this time, the caller gets the last reading.
        var maxWait = Duration.milliseconds(500)
        var now: @Sendable () -> ContinuousClock.Instant = { .now }
    }

    struct Reading: Equatable, Sendable {
        /// The free bytes at the last answer of the disk; nil before the first answer.
        var freeBytes: UInt64?
        /// The time for which the disk has not answered the running reading; nil when no reading runs.
        var unansweredTime: Duration?

        /// Whether the disk has not answered for ``DiskWatch/silenceTimeout``.
        var isSilent: Bool { unansweredTime ?? .zero > DiskWatch.silenceTimeout }
    }

    private struct State {
        var last: (freeBytes: UInt64, time: ContinuousClock.Instant)?
        /// The time at which the running reading began.
        var readingStart: ContinuousClock.Instant?

        func makeReading(_ now: ContinuousClock.Instant) -> Reading {
            Reading(freeBytes: last?.freeBytes, unansweredTime: readingStart.map { now - $0 })
        }
    }

    /// The time for which a reading is used before the disk is read again.
    private static let maxReadingAge = Duration.seconds(1)
    /// The time after which a disk without an answer counts as silent.
    static let silenceTimeout = Duration.seconds(5)

    private let folder: String
    private let settings: Settings
    private let state = Mutex(State())
    /// Lets callers wait for the end of a reading.
    private let readingEnds = CompletionWaiters<String>()

    init(_ folder: String, _ settings: Settings) { (self.folder, self.settings) = (folder, settings) }

    /// Returns the last reading. If this reading is old, a new reading starts, and the caller waits for the new reading
    /// up to ``Settings/maxWait``. For a silent disk, the caller does not wait.
    func refreshLatestReading() async -> Reading {
        let end = readingEnds.expectCompletion(folder)
        let last = takeLatestReading()
        if last.unansweredTime == nil || last.isSilent { readingEnds.reportCompletion(folder) }
        await readingEnds.waitForCompletion(for: end, of: folder, atMost: settings.maxWait)
        return state.withLock { $0.makeReading(settings.now()) }
    }

    /// Returns the last reading without a wait, and starts a new reading if the last reading is old.
    func takeLatestReading() -> Reading {
        let now = settings.now()
        let (reading, starts) = state.withLock { state -> (Reading, Bool) in
            let starts = state.readingStart == nil && state.last.map { now - $0.time > Self.maxReadingAge } ?? true
            if starts { state.readingStart = now }
            return (state.makeReading(now), starts)
        }
        if starts { BlockingThread.runOnThread { self.refreshReading() } }
        return reading
    }

    private func refreshReading() {
        let bytes = settings.readFreeBytes(folder)
        state.withLock { $0 = State(last: (bytes, settings.now())) }
        readingEnds.reportCompletion(folder)
    }
}
