internal import Concurrency

/// Reads files on another thread, one reading at a time. The threads of the callers do not wait long for a disk that
/// does not answer.
///
/// `@unchecked Sendable`: the variables are used only while `lock` is held.
final class BoundedReading: @unchecked Sendable {
    /// The time at which the running reading began; nil when no reading runs.
    private var runningSince: ContinuousClock.Instant?
    private var startedReadingCount = 0
    private var endedReadingCount = 0
    private let lock = ThreadLock()
    private let readingEnded = ThreadCondition()
    private let maxWait: Duration

    /// - Parameter maxWait: the maximal time for which callers wait for one reading.
    init(maxWait: Duration = .seconds(2)) { self.maxWait = maxWait }

    /// Runs `read` on another thread after the end of a running reading, and waits at most `maxWait` for the end of
    /// `read`. If the running reading lasts longer than `maxWait`, returns without running `read`. Blocks the thread.
    func runReading(_ read: @escaping @Sendable () -> Void) {
        let own: Int? = lock.withLock {
            while let runningSince {
                if readingEnded.waitForSignal(lock, until: runningSince + maxWait) { return nil }
            }
            runningSince = .now
            startedReadingCount += 1
            return startedReadingCount
        }
        guard let own else { return }
        let deadline = ContinuousClock.now + maxWait
        BlockingThread.runOnThread { [self] in
            read()
            lock.withLock {
                runningSince = nil
                endedReadingCount += 1
                readingEnded.wakeAll()
            }
        }
        lock.withLock {
            while endedReadingCount < own, !readingEnded.waitForSignal(lock, until: deadline) {}
        }
    }
}
