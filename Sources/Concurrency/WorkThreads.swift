import DequeModule

/// Threads that many queues share for work that blocks. A thread starts when work comes and no thread is idle. It ends
/// when it was idle for a while, so queues without work have no threads.
package final class WorkThreads: @unchecked Sendable {
    // The class is `@unchecked Sendable`: these values, and those of `Worker`, are used only while `lock` is held.
    private var idle: [Worker] = []
    /// Work that waits for a thread. If there is any, ``count`` is not zero, and each counted thread takes waiting work
    /// before it ends.
    private var waiting: Deque<Work> = []
    /// Number of threads that work, are idle, or are being started.
    private var count = 0
    private let lock = ThreadLock()
    private let limit: Int
    private let kept: Int
    private let idleTime: Duration
    private let begin: StartThread

    package typealias Work = @Sendable () -> Void
    typealias StartThread = @Sendable (_ body: @escaping Work) throws(NoThread) -> Void

    private final class Worker: @unchecked Sendable {
        var work: Work?
        let changed = ThreadCondition()
    }

    /// The threads of the databases.
    package static let shared = WorkThreads()

    /// - Parameters:
    ///   - limit: maximal number of threads that work. Further work waits for one of them.
    ///   - kept: number of threads that do not end, once they have started. With them, work goes on when the system
    ///     refuses further threads.
    ///   - idleTime: the time after which an idle thread ends.
    package convenience init(limit: Int = 256, kept: Int = 4, idleTime: Duration = .seconds(10)) {
        self.init(limit: limit, kept: kept, idleTime: idleTime, startThread: BlockingThread.start)
    }

    /// - Parameter startThread: starts a thread, which runs the given body.
    init(
        limit: Int = 256,
        kept: Int = 4,
        idleTime: Duration = .seconds(10),
        startThread: @escaping StartThread
    ) {
        self.limit = max(1, limit)
        self.kept = kept
        self.idleTime = idleTime
        begin = startThread
    }

    /// Number of threads.
    package var threads: Int { lock.withLock { count } }

    /// Runs work on a thread. The work must not wait for other work of these threads.
    /// - Throws: when there is no thread, and the system starts none.
    package func start(_ work: @escaping Work) throws(NoThread) {
        let isTaken = lock.withLock {
            if giveToIdleThread(work) { return true }
            guard count < limit else {
                waiting.append(work)
                return true
            }
            count += 1
            return false
        }
        if !isTaken { try startThread(for: work) }
    }

    /// Runs work like ``start(_:)``. Without any thread, the calling thread runs the work.
    func run(_ work: @escaping Work) {
        do throws(NoThread) { try start(work) } catch { runHere(work) }
    }

    /// Gives work to the thread that has been idle for the shortest time.
    /// - Returns: false when no thread is idle.
    private func giveToIdleThread(_ work: @escaping Work) -> Bool {
        guard let worker = idle.popLast() else { return false }
        worker.work = work
        worker.changed.signal()
        return true
    }

    /// Starts a thread that is already counted.
    /// - Throws: when there is no thread. Work that waited for one has then run on the calling thread.
    private func startThread(for work: @escaping Work) throws(NoThread) {
        do throws(NoThread) {
            try begin { [self] in
                work()
                let worker = Worker()
                while let next = next(worker) { next() }
            }
        } catch {
            let isTaken = lock.withLock {
                count -= 1
                if giveToIdleThread(work) { return true }
                // Another counted thread may fail to start too. It then finds this work.
                if count > 0 { waiting.append(work) }
                return count > 0
            }
            guard !isTaken else { return }
            if let earlier = lock.withLock({ count == 0 ? waiting.popFirst() : nil }) { runHere(earlier) }
            throw error
        }
    }

    /// Runs work on the calling thread, and afterwards the waiting work that no other thread takes.
    private func runHere(_ work: Work) {
        lock.withLock { count += 1 }
        work()
        while let next = nextHere() { next() }
    }

    private func nextHere() -> Work? {
        lock.withLock {
            if count == 1, let next = waiting.popFirst() { return next }
            count -= 1
            return nil
        }
    }

    /// Waits for the next work of a thread; nil when the thread ends.
    private func next(_ worker: Worker) -> Work? {
        lock.withLock {
            if let next = waiting.popFirst() { return next }
            idle.append(worker)
            let end = ContinuousClock.now + idleTime
            while worker.work == nil {
                let isOver = worker.changed.wait(lock, until: count > kept ? end : nil)
                guard isOver, worker.work == nil, count > kept else { continue }
                idle.removeAll { $0 === worker }
                count -= 1
                return nil
            }
            defer { worker.work = nil }
            return worker.work
        }
    }
}
