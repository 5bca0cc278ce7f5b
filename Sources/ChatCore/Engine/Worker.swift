/// Work that continues in the background while the chat runs. The database holds the work.
protocol Worker: Sendable {
    /// The work that this worker does. A transaction that leaves such work wakes the worker after its commit.
    var work: FollowUp { get }

    /// Makes the worker look for work.
    func wake()

    /// Does the work until the task is cancelled. Begins with work that an earlier run has left.
    func run() async
}
