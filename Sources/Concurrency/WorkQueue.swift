import DequeModule

/// A queue for work that blocks, so that neither Swift's cooperative pool nor an event loop waits for a disk. Jobs start
/// in the order of `submit`. A queue without jobs has no threads: its lanes borrow them from ``WorkThreads``.
public final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    /// Runs jobs, one batch after the other.
    private final class Lane: @unchecked Sendable {
        let run: @Sendable ([Job]) -> ContinuousClock.Instant?
        let end: @Sendable () -> Void
        var isRunning = false

        init(_ run: @escaping @Sendable ([Job]) -> ContinuousClock.Instant?, _ end: @escaping @Sendable () -> Void) {
            self.run = run
            self.end = end
        }
    }

    // The class is `@unchecked Sendable`: these values, and those of `Lane`, are used only while `lock` is held.
    private var pending: Deque<Job> = []
    private var isClosed = false
    private var lanes: [Lane] = []
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    private let lock = ThreadLock()
    private let changed = ThreadCondition()
    private let batch: Int
    private let threads: WorkThreads

    public init(batch: Int, threads: WorkThreads = .shared) {
        self.batch = batch
        self.threads = threads
    }

    /// Adds a lane. A queue uses at most as many threads as it has lanes. The first lane without a job gets the next
    /// one.
    /// - Parameters:
    ///   - run: runs up to `batch` jobs. If it returns a deadline and no job comes by then, it is called with no jobs.
    ///   - end: is called once, after the last job of the closed queue.
    public func addLane(
        _ run: @escaping @Sendable ([Job]) -> ContinuousClock.Instant?,
        end: @escaping @Sendable () -> Void = {}
    ) {
        let lane = Lane(run, end)
        let begins = lock.withLock {
            lanes.append(lane)
            lane.isRunning = isClosed || !pending.isEmpty
            return lane.isRunning
        }
        if begins { start(lane) }
    }

    /// Adds a job. Returns false when the queue is closed; the job then does not run.
    public func submit(_ job: Job) -> Bool {
        let (isAdded, lane) = lock.withLock {
            guard !isClosed else { return (false, nil as Lane?) }
            pending.append(job)
            guard let lane = lanes.first(where: { !$0.isRunning }) else {
                changed.signal()
                return (true, nil)
            }
            lane.isRunning = true
            return (true, lane)
        }
        if let lane { start(lane) }
        return isAdded
    }

    /// Refuses further jobs. The lanes end when the present jobs are done.
    public func close() {
        let idle = lock.withLock {
            isClosed = true
            changed.broadcast()
            let idle = lanes.filter { !$0.isRunning }
            for lane in idle { lane.isRunning = true }
            return idle
        }
        for lane in idle { start(lane) }
    }

    /// Closes the queue, and returns when all lanes have ended.
    public func closeAndWait() async {
        close()
        await withCheckedContinuation { continuation in
            let isEnded = lock.withLock {
                if !lanes.isEmpty { waitingForEnd.append(continuation) }
                return lanes.isEmpty
            }
            if isEnded { continuation.resume() }
        }
    }

    private func start(_ lane: Lane) {
        threads.run { [self] in
            var deadline: ContinuousClock.Instant?
            while let jobs = next(lane, by: deadline) { deadline = lane.run(jobs) }
        }
    }

    private enum Step { case run([Job]), pause, end }

    /// Returns the next jobs of a lane, or no jobs after the deadline. Nil when the lane is idle, or has ended.
    private func next(_ lane: Lane, by deadline: ContinuousClock.Instant?) -> [Job]? {
        let step = lock.withLock {
            while pending.isEmpty {
                if isClosed { return Step.end }
                guard let deadline else {
                    lane.isRunning = false
                    return .pause
                }
                if changed.wait(lock, until: deadline) { break }
            }
            let taken = Array(pending.prefix(batch))
            pending.removeFirst(taken.count)
            return .run(taken)
        }
        switch step {
        case .run(let jobs): return jobs
        case .pause: break
        case .end: end(lane)
        }
        return nil
    }

    private func end(_ lane: Lane) {
        lane.end()
        let ended = lock.withLock {
            lanes.removeAll { $0 === lane }
            guard lanes.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { waitingForEnd.removeAll() }
            return waitingForEnd
        }
        for continuation in ended { continuation.resume() }
    }
}
