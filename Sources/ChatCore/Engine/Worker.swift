internal import ChatStore

/// A worker, which does work in the background while the chat runs. The database contains the work that is left.
protocol Worker: Sendable {
    /// The kind of work that this worker does. A transaction that leaves work of this kind wakes the worker after its
    /// commit.
    var followUp: FollowUp { get }

    /// Makes the worker look for work.
    func wake()

    /// Does the work until the task is cancelled. Begins with work that an earlier run has left.
    func run() async
}
