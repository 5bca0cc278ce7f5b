import DequeModule

/// Threads that many queues share for work that blocks. A thread starts when work comes and no thread is idle. It ends
/// when it was idle for a while, so queues without work have no threads.
package final class WorkThreads: @unchecked Sendable {
    // The class is `@unchecked Sendable`: its variables, and those of `Worker`, are used only while `lock` is held.
    private var idleWorkers: [Worker] = []
    /// Work that waits for a thread. While work waits, ``countedThreadCount`` is not zero. Each counted thread takes
    /// waiting work before it ends.
    private var waitingWork: Deque<Work> = []
    /// Number of threads that work, are idle, or are being started.
    private var countedThreadCount = 0
    private let lock = ThreadLock()
    private let maxThreads: Int
    private let maxIdleThreads: Int
    private let idleTime: Duration
    private let startNewThread: StartThread

    package typealias Work = @Sendable () -> Void
    typealias StartThread = @Sendable (_ body: @escaping Work) throws(NoThread) -> Void

    private final class Worker: @unchecked Sendable {
        var work: Work?
        let workChangedCondition = ThreadCondition()
    }

    /// The threads that all databases of this process share.
    package static let sharedThreads = WorkThreads()

    /// Makes a group of threads, and starts no thread yet.
    /// - Parameters:
    ///   - limit: maximal number of threads that work. Further work waits for one of them.
    ///   - kept: number of threads that do not end, once they have started. With them, work goes on when the system
    ///     refuses further threads.
    ///   - idleTime: the time after which an idle thread ends.
    package convenience init(limit: Int = 256, kept: Int = 4, idleTime: Duration = .seconds(10)) {
        self.init(limit: limit, kept: kept, idleTime: idleTime, startThread: BlockingThread.startThread)
    }

    /// Makes a group of threads that the function `startThread` starts.
    /// - Parameter startThread: starts a thread, which runs the given body.
    init(
        limit: Int = 256,
        kept: Int = 4,
        idleTime: Duration = .seconds(10),
        startThread: @escaping StartThread
    ) {
        self.maxThreads = max(1, limit)
        self.maxIdleThreads = kept
        self.idleTime = idleTime
        startNewThread = startThread
    }

    /// Number of threads.
    package var threadCount: Int { lock.withLock { countedThreadCount } }

    /// Runs work on a thread. The work must not wait for other work of these threads.
    /// - Throws: when no thread is running, and the system cannot start one.
    package func startWork(_ work: @escaping Work) throws(NoThread) {
        let isTaken = lock.withLock {
            if giveToIdleThread(work) { return true }
            guard countedThreadCount < maxThreads else {
                waitingWork.append(work)
                return true
            }
            countedThreadCount += 1
            return false
        }
        if !isTaken { try startThread(for: work) }
    }

    /// Runs work like ``startWork(_:)``. If no thread is running and none can be started, the calling thread runs the
    /// work.
    func runWork(_ work: @escaping Work) {
        do throws(NoThread) { try startWork(work) } catch { runOnThisThread(work) }
    }

    /// Gives work to the thread that has been idle for the shortest time.
    /// - Returns: false when no thread is idle.
    private func giveToIdleThread(_ work: @escaping Work) -> Bool {
        guard let worker = idleWorkers.popLast() else { return false }
        worker.work = work
        worker.workChangedCondition.wakeOne()
        return true
    }

    /// Starts a new thread that runs `work`. The caller has already counted this thread.
    /// - Throws: when no thread is running, and the system cannot start one. Work that waited for a thread has then run
    ///   on the calling thread.
    private func startThread(for work: @escaping Work) throws(NoThread) {
        do throws(NoThread) {
            try startNewThread { [self] in
                work()
                let worker = Worker()
                while let next = waitForNextWork(worker) { next() }
            }
        } catch {
            let isTaken = lock.withLock {
                countedThreadCount -= 1
                if giveToIdleThread(work) { return true }
                // Another counted thread takes this work. If that thread cannot be started either, the thread that
                // tried to start it runs this work.
                if countedThreadCount > 0 { waitingWork.append(work) }
                return countedThreadCount > 0
            }
            guard !isTaken else { return }
            if let earlier = lock.withLock({ countedThreadCount == 0 ? waitingWork.popFirst() : nil }) {
                runOnThisThread(earlier)
            }
            throw error
        }
    }

    /// Runs work on the calling thread, and afterwards the waiting work that no other thread takes.
    private func runOnThisThread(_ work: Work) {
        lock.withLock { countedThreadCount += 1 }
        work()
        while let next = takeNextWork() { next() }
    }

    private func takeNextWork() -> Work? {
        lock.withLock {
            if countedThreadCount == 1, let next = waitingWork.popFirst() { return next }
            countedThreadCount -= 1
            return nil
        }
    }

    /// Waits for the next work of a thread. Returns nil when the thread has to end.
    private func waitForNextWork(_ worker: Worker) -> Work? {
        lock.withLock {
            if let next = waitingWork.popFirst() { return next }
            idleWorkers.append(worker)
            let end = ContinuousClock.now + idleTime
            while worker.work == nil {
                let isOver = worker.workChangedCondition.waitForSignal(
                    lock,
                    until: countedThreadCount > maxIdleThreads ? end : nil
                )
                guard isOver, worker.work == nil, countedThreadCount > maxIdleThreads else { continue }
                idleWorkers.removeAll { $0 === worker }
                countedThreadCount -= 1
                return nil
            }
            defer { worker.work = nil }
            return worker.work
        }
    }
}
