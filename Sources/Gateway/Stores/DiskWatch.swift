internal import Concurrency
internal import Synchronization

/// Watches the free bytes on the disk of a folder. Callers get the last value without a wait, and cause the next
/// reading on another thread, because a disk that other machines share may be silent.
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
    /// The time after which a disk without an answer counts as silent.
    static let silenceTimeout = Duration.seconds(5)

    private let folder: String
    private let readFreeBytes: @Sendable (String) -> UInt64
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// Makes the first reading, which may block.
    init(
        _ folder: String,
        read: @escaping @Sendable (String) -> UInt64,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.folder, self.readFreeBytes, self.now) = (folder, read, now)
        state = Mutex(State(freeBytes: read(folder), readTime: now()))
    }

    /// Returns the last reading, and starts another one if the last one is old.
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
    }
}
