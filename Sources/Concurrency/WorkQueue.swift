import DequeModule
import Glibc

/// Threads of their own for work that blocks, so that neither Swift's cooperative pool nor an event loop waits for a
/// disk. Jobs start in the order of `submit`; a thread takes up to `batch` of them at once.
public final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    // Safe to share: these four are touched only while `mutex` is held.
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
        // Set clocks do not change how long a thread waits.
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

    /// Adds a job; false when the queue is closed, and then the job will not run.
    public func submit(_ job: Job) -> Bool {
        locked {
            guard !isClosed else { return false }
            pending.append(job)
            pthread_cond_signal(changed)
            return true
        }
    }

    /// Refuses further jobs; the threads end when the present jobs are done.
    public func close() {
        locked {
            isClosed = true
            _ = pthread_cond_broadcast(changed)
        }
    }

    /// Like `close`; returns when all threads have ended and released their state.
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

    /// Starts a thread that makes its own state (a connection, say) and runs batches with it until the queue is closed.
    public func startThread(_ run: @escaping @Sendable (_ next: () -> [Job]?) -> Void) throws(NoThread) {
        try startThread(waiting: { next in run { next(nil) } })
    }

    /// Like ``startThread(_:)``; `next` returns an empty batch when no job has come by the deadline that it is given.
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

    /// Waits for jobs, until the deadline if there is one; nil when the queue is closed and empty.
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

/// The moment after a duration, on the clock that the queues wait by.
private func timespec(after duration: Duration) -> timespec {
    var moment = Glibc.timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
    moment.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    moment.tv_nsec = nanoseconds % 1_000_000_000
    return moment
}
