internal import Concurrency

/// Reads files for callers whose threads must not wait for a silent disk: on another thread, and one reading at a time.
///
/// `@unchecked Sendable`: the variables are used only while `lock` is held.
final class BoundedReading: @unchecked Sendable {
    /// The beginning of the reading that runs; nil when none runs.
    private var runningSince: ContinuousClock.Instant?
    private var startedCount = 0
    private var endedCount = 0
    private let lock = ThreadLock()
    private let readingEnded = ThreadCondition()
    private let maxWait: Duration

    /// - Parameter maxWait: the maximal time in which callers wait for one reading.
    init(maxWait: Duration = .seconds(2)) { self.maxWait = maxWait }

    /// Runs `read` after the readings that run already, and waits for its end. While a reading takes longer than
    /// `maxWait`, callers do not wait, and no other reading begins. Blocks the thread.
    func runReading(_ read: @escaping @Sendable () -> Void) {
        let own: Int? = lock.withLock {
            while let runningSince {
                if readingEnded.waitForSignal(lock, until: runningSince + maxWait) { return nil }
            }
            runningSince = .now
            startedCount += 1
            return startedCount
        }
        guard let own else { return }
        let deadline = ContinuousClock.now + maxWait
        BlockingThread.runOnThread { [self] in
            read()
            lock.withLock {
                runningSince = nil
                endedCount += 1
                readingEnded.wakeAll()
            }
        }
        lock.withLock {
            while endedCount < own, !readingEnded.waitForSignal(lock, until: deadline) {}
        }
    }
}
