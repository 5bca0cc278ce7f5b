internal import Concurrency
internal import Synchronization

/// Watches the free bytes on the disk of a folder. Callers get the last value without a wait, and cause the next
/// reading on another thread, because a disk that other machines share may be silent.
final class DiskWatch: Sendable {
    enum Reading: Equatable, Sendable {
        case free(UInt64)
        /// The disk has not answered for ``patience``.
        case silent

        /// The number of free bytes; 0 while the disk is silent.
        var bytes: UInt64 { if case .free(let bytes) = self { bytes } else { 0 } }
    }

    private struct State {
        var bytes: UInt64
        var readAt: ContinuousClock.Instant
        /// The time at which the running reading began.
        var begun: ContinuousClock.Instant?
    }

    /// The time for which a value is used.
    private static let age = Duration.seconds(1)
    /// The time after which a disk without an answer counts as silent.
    static let patience = Duration.seconds(5)

    private let folder: String
    private let read: @Sendable (String) -> UInt64
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// Makes the first reading, which may block.
    init(
        _ folder: String,
        read: @escaping @Sendable (String) -> UInt64,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.folder, self.read, self.now) = (folder, read, now)
        state = Mutex(State(bytes: read(folder), readAt: now()))
    }

    /// Returns the last reading, and starts another one if the last one is old.
    func latestReading() -> Reading {
        let now = now()
        let (reading, starts) = state.withLock { state -> (Reading, Bool) in
            if let begun = state.begun {
                return (now - begun > Self.patience ? .silent : .free(state.bytes), false)
            }
            let isOld = now - state.readAt > Self.age
            if isOld { state.begun = now }
            return (.free(state.bytes), isOld)
        }
        if starts { BlockingThread.run { self.readAgain() } }
        return reading
    }

    private func readAgain() {
        let bytes = read(folder)
        state.withLock { $0 = State(bytes: bytes, readAt: now()) }
    }
}
