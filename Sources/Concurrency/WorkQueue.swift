import DequeModule
import Glibc

/// Threads for work that blocks, so that neither Swift's cooperative pool nor an event loop waits for a disk. Jobs
/// start in the order of `submit`. A thread takes up to `batch` jobs in one step.
public final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    // The class is `@unchecked Sendable`: these four values are used only while `mutex` is locked.
    private var pending: Deque<Job> = []
    private var isClosed = false
    private var threads = 0
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let batch: Int

    public init(batch: Int) {
        self.batch = batch
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // With this clock, setting the system's time does not change how long a thread waits.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    private func locked<T>(_ body: () -> T) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Adds a job. Returns false when the queue is closed; the job then does not run.
    public func submit(_ job: Job) -> Bool {
        locked {
            guard !isClosed else { return false }
            pending.append(job)
            pthread_cond_signal(changed)
            return true
        }
    }

    /// Refuses further jobs. The threads end when the present jobs are done.
    public func close() {
        locked {
            isClosed = true
            _ = pthread_cond_broadcast(changed)
        }
    }

    /// Closes the queue, and returns when all threads have ended and released their state.
    public func closeAndWait() async {
        close()
        await withCheckedContinuation { continuation in
            let ended = locked {
                if threads > 0 { waitingForEnd.append(continuation) }
                return threads == 0
            }
            if ended { continuation.resume() }
        }
    }

    /// Starts a thread. `run` makes the state of the thread (for example a connection), and runs batches until `next`
    /// returns nil because the queue is closed.
    public func startThread(_ run: @escaping @Sendable (_ next: () -> [Job]?) -> Void) throws(NoThread) {
        try startThread(waiting: { next in run { next(nil) } })
    }

    /// Starts a thread like ``startThread(_:)``. `next` has a deadline, and returns an empty batch when no job has come
    /// by then.
    public func startThread(
        waiting run: @escaping @Sendable (_ next: (_ deadline: ContinuousClock.Instant?) -> [Job]?) -> Void
    ) throws(NoThread) {
        locked { threads += 1 }
        do throws(NoThread) {
            try BlockingThread.start {
                run { self.next(by: $0) }
                self.threadEnded()
            }
        } catch {
            threadEnded()
            throw error
        }
    }

    private func threadEnded() {
        let waiting = locked {
            threads -= 1
            guard threads == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { waitingForEnd.removeAll() }
            return waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns the next jobs. Waits for them until the deadline if there is one. Nil when the queue is closed and
    /// empty.
    private func next(by deadline: ContinuousClock.Instant?) -> [Job]? {
        let end = deadline.map { timespec(after: $0 - .now) }
        return locked {
            while pending.isEmpty {
                if isClosed { return nil }
                guard var end else {
                    pthread_cond_wait(changed, mutex)
                    continue
                }
                if pthread_cond_timedwait(changed, mutex, &end) == ETIMEDOUT { break }
            }
            let taken = Array(pending.prefix(batch))
            pending.removeFirst(taken.count)
            return taken
        }
    }
}

/// Returns the time after a duration, on the monotonic clock with which ``WorkQueue`` waits.
private func timespec(after duration: Duration) -> timespec {
    var moment = Glibc.timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
    moment.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    moment.tv_nsec = nanoseconds % 1_000_000_000
    return moment
}
