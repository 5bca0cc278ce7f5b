import Glibc

/// Threads of their own for work that blocks, so that neither Swift's cooperative pool nor an event loop waits for a disk.
/// Jobs start in the order of `submit`; a thread takes up to `batch` of them at once.
final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    // Safe to share: these four are touched only while `mutex` is held.
    private var pending: [Job] = []
    private var isClosed = false
    private var threads = 0
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let batch: Int

    init(batch: Int) {
        self.batch = batch
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
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
    func submit(_ job: Job) -> Bool {
        locked {
            guard !isClosed else { return false }
            pending.append(job)
            pthread_cond_signal(changed)
            return true
        }
    }

    /// Takes no more jobs; the threads end when those already there are done.
    func close() {
        locked {
            isClosed = true
            _ = pthread_cond_broadcast(changed)
        }
    }

    /// Like `close`; returns when all threads have ended and given up what they held.
    func closeAndWait() async {
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
    func startThread(_ run: @escaping @Sendable (_ next: () -> [Job]?) -> Void) throws(DatabaseError) {
        locked { threads += 1 }
        let body = Unmanaged.passRetained(ThreadBody {
            run { self.next() }
            self.threadEnded()
        })
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { argument in
            if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, body.toOpaque())
        guard code == 0 else {
            body.release()
            threadEnded()
            throw .other(code: code, message: "the system has no thread to give")
        }
        pthread_detach(thread)
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

    /// Waits for jobs; nil when the queue is closed and empty.
    private func next() -> [Job]? {
        locked {
            while pending.isEmpty {
                if isClosed { return nil }
                pthread_cond_wait(changed, mutex)
            }
            let taken = Array(pending.prefix(batch))
            pending.removeFirst(taken.count)
            return taken
        }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
