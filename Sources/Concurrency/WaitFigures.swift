/// The numbers of running and waiting tasks of a lock, or of jobs of a queue, and the longest wait.
package struct WaitFigures: Hashable, Sendable {
    /// Number of tasks that have the lock, or of jobs and batches that run.
    package var runningCount = 0
    /// Number of tasks or jobs that wait.
    package var waitingCount = 0
    /// The time for which the first waiting task or job has waited; zero when none waits.
    package var longestWait = Duration.zero

    package init(running: Int = 0, waiting: Int = 0, longestWait: Duration = .zero) {
        (runningCount, waitingCount, self.longestWait) = (running, waiting, longestWait)
    }

    /// Makes figures with the longest wait until now.
    /// - Parameter since: the time at which the first waiter has begun to wait; nil when none waits.
    init(running: Int, waiting: Int, since: ContinuousClock.Instant?) {
        self.init(running: running, waiting: waiting, longestWait: since.map { ContinuousClock.now - $0 } ?? .zero)
    }
}
