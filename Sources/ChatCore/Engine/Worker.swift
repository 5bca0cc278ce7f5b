internal import ChatStore
internal import Concurrency

/// A worker, which does work in the background while the chat runs. The database contains the work that is left.
protocol Worker: Sendable {
    /// The kind of work that this worker does. A transaction that leaves work of this kind wakes the worker after its
    /// commit.
    var followUpWork: FollowUp { get }

    /// The signal for which the worker waits. A signal that comes before the worker waits is kept.
    var signal: WakeSignal { get }

    /// Returns the time until the worker has work: zero if work waits, and nil if only a signal brings work. When the
    /// chat starts, this function is called for all workers in a single read of the database.
    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration?

    /// Does the work until the task is cancelled. The worker reads nothing until the time of `start` has passed or a
    /// signal has come.
    func run(from start: WorkerStart) async
}

extension Worker {
    /// Makes the worker look for work.
    func wake() { signal.wake() }
}

/// The time and the revision with which a worker starts.
struct WorkerStart: Sendable {
    /// The time until the worker has work: zero if work waits, and nil if only a signal brings work.
    let pause: Duration?
    /// The revision of the store before the read that has found `pause`. Each change that this read missed has a later
    /// revision.
    let revision: UInt64
}
