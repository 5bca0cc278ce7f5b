import DequeModule

/// Threads that many queues share for work that blocks. A thread starts when work comes and no thread is idle. It ends
/// when it was idle for a while, so queues without work have no threads.
public final class WorkThreads: @unchecked Sendable {
    // The class is `@unchecked Sendable`: these values, and those of `Worker`, are used only while `lock` is held.
    private var idle: [Worker] = []
    private var waiting: Deque<@Sendable () -> Void> = []
    private var count = 0
    private let lock = ThreadLock()
    private let limit: Int
    private let kept: Int
    private let idleTime: Duration

    private final class Worker: @unchecked Sendable {
        var work: (@Sendable () -> Void)?
        let changed = ThreadCondition()
    }

    /// The threads of the databases.
    public static let shared = WorkThreads()

    /// - Parameters:
    ///   - limit: maximal number of threads that work. Further work waits for one of them.
    ///   - kept: number of threads that do not end, once they have started. With them, work goes on when the system
    ///     refuses further threads.
    ///   - idleTime: the time after which an idle thread ends.
    public init(limit: Int = 256, kept: Int = 4, idleTime: Duration = .seconds(10)) {
        self.limit = max(1, limit)
        self.kept = kept
        self.idleTime = idleTime
    }

    /// Number of threads, without the threads in ``whileBlocked(_:)``.
    public var threads: Int { lock.withLock { count } }

    /// Runs work on a thread. Work that waits for other work of these threads does so in ``whileBlocked(_:)``.
    /// - Throws: when there is no thread, and the system starts none.
    public func start(_ work: @escaping @Sendable () -> Void) throws(NoThread) {
        let isTaken = lock.withLock {
            if giveToIdleThread(work) { return true }
            guard count < limit else {
                waiting.append(work)
                return true
            }
            count += 1
            return false
        }
        if !isTaken { try startThread(work) }
    }

    /// Runs work like ``start(_:)``. Without any thread, the calling thread runs the work.
    func run(_ work: @escaping @Sendable () -> Void) {
        do throws(NoThread) { try start(work) } catch { work() }
    }

    /// Runs a body that waits for other work. During the wait, another thread may work in place of this one.
    public func whileBlocked<T>(_ body: () throws -> T) rethrows -> T {
        let next = lock.withLock {
            count -= 1
            guard count < limit, let next = waiting.popFirst() else { return nil as (@Sendable () -> Void)? }
            count += 1
            return next
        }
        if let next { do throws(NoThread) { try startThread(next) } catch { lock.withLock { waiting.prepend(next) } } }
        defer { lock.withLock { count += 1 } }
        return try body()
    }

    /// Gives work to the thread that has been idle for the shortest time.
    /// - Returns: false when no thread is idle.
    private func giveToIdleThread(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let worker = idle.popLast() else { return false }
        worker.work = work
        worker.changed.signal()
        return true
    }

    /// Starts a thread that is already counted.
    private func startThread(_ work: @escaping @Sendable () -> Void) throws(NoThread) {
        do throws(NoThread) {
            try BlockingThread.start { [self] in
                work()
                let worker = Worker()
                while let next = next(worker) { next() }
            }
        } catch {
            let isTaken = lock.withLock {
                count -= 1
                if giveToIdleThread(work) { return true }
                if count > 0 { waiting.append(work) }
                return count > 0
            }
            guard isTaken else { throw error }
        }
    }

    /// Waits for the next work of a thread; nil when the thread ends.
    private func next(_ worker: Worker) -> (@Sendable () -> Void)? {
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
