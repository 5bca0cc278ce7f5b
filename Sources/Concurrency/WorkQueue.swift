import DequeModule

/// A queue for work that blocks, so that neither Swift's cooperative pool nor an event loop waits for a disk. Jobs
/// start in the order of `submitJob`. The jobs run in lanes: each lane is a worker that borrows a thread of
/// ``WorkThreads`` while it has jobs. A queue without jobs, and a paused queue, use no threads.
package final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    /// The result of ``submitJob(_:)``.
    package enum Submission: Sendable {
        /// The job was added, and will run.
        case jobAdded
        /// The queue is paused, and does not run the job: see ``callAfterPause(_:)``.
        case queuePaused
        /// The queue is closed, and does not run the job.
        case queueClosed
    }

    /// Runs jobs, one batch after the other.
    private final class Lane: @unchecked Sendable {
        let run: @Sendable ([Job]) -> ContinuousClock.Instant?
        let flushWork: @Sendable () -> Void
        let endWork: @Sendable () -> Void
        var isRunning = false

        init(
            _ run: @escaping @Sendable ([Job]) -> ContinuousClock.Instant?,
            _ flush: @escaping @Sendable () -> Void,
            _ end: @escaping @Sendable () -> Void
        ) {
            self.run = run
            self.flushWork = flush
            self.endWork = end
        }
    }

    // The class is `@unchecked Sendable`: the variables of the queue and of `Lane` are used only while `lock` is held.
    private var pendingJobs: Deque<Job> = []
    /// The times at which the pending jobs were submitted, in the order of the jobs.
    private var submissionTimes: Deque<ContinuousClock.Instant> = []
    /// Jobs that also run in a pause.
    private var urgentJobs: Deque<Job> = []
    private var isClosed = false
    private var lanes: [Lane] = []
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    /// Number of pauses that have not ended.
    private var pauseCount = 0
    private var pauseWaiters: [CheckedContinuation<Bool, Never>] = []
    /// Functions that are called at the end of the pause, in the order of ``callAfterPause(_:)``.
    private var pauseEndHandlers: [@Sendable () -> Void] = []
    /// The functions `waiting` that the callers of ``pauseAndWait(waiting:)`` have given. They are called when a job
    /// waits for the end of the pause.
    private var jobWaitingHandlers: [@Sendable () -> Void] = []
    private let lock = ThreadLock()
    private let jobsChangedCondition = ThreadCondition()
    private let maxBatchCount: Int
    private let threads: WorkThreads

    package init(batch: Int, threads: WorkThreads = .sharedThreads) {
        self.maxBatchCount = batch
        self.threads = threads
    }

    /// Adds a lane, which runs jobs on one thread at a time. The first lane without a job gets the next job.
    /// - Parameters:
    ///   - run: a function that runs up to `batch` jobs. If it returns a deadline and no job comes before this time, it
    ///     is called again, without jobs.
    ///   - flush: a function that completes the work that otherwise waits for the deadline. It is called before a
    ///     pause.
    ///   - end: a function that is called once, after the last job of the closed queue.
    package func addLane(
        _ run: @escaping @Sendable ([Job]) -> ContinuousClock.Instant?,
        flush: @escaping @Sendable () -> Void = {},
        end: @escaping @Sendable () -> Void = {}
    ) {
        let lane = Lane(run, flush, end)
        let begins = lock.withLock {
            lanes.append(lane)
            lane.isRunning = pauseCount == 0 && (isClosed || !pendingJobs.isEmpty) || !urgentJobs.isEmpty
            return lane.isRunning
        }
        if begins { startLane(lane) }
    }

    /// Adds a job, if the queue is neither paused nor closed.
    package func submitJob(_ job: Job) -> Submission {
        let (result, lane) = lock.withLock {
            guard !isClosed else { return (Submission.queueClosed, nil as Lane?) }
            guard pauseCount == 0 else { return (.queuePaused, nil) }
            pendingJobs.append(job)
            submissionTimes.append(.now)
            guard let lane = lanes.first(where: { !$0.isRunning }) else {
                jobsChangedCondition.wakeOne()
                return (.jobAdded, nil)
            }
            lane.isRunning = true
            return (.jobAdded, lane)
        }
        if let lane { startLane(lane) }
        return result
    }

    /// Calls a function at the end of the pause, or when the queue is closed, on any thread. The function must not
    /// wait. Without a pause it is not called.
    /// - Returns: whether the queue is paused.
    package func callAfterPause(_ function: @escaping @Sendable () -> Void) -> Bool {
        let waiting: [@Sendable () -> Void]? = lock.withLock {
            guard !isClosed, pauseCount > 0 else { return nil }
            pauseEndHandlers.append(function)
            defer { jobWaitingHandlers = [] }
            return jobWaitingHandlers
        }
        guard let waiting else { return false }
        for function in waiting { function() }
        return true
    }

    /// Number of jobs that wait for a lane, without urgent jobs.
    package var pendingJobCount: Int { lock.withLock { pendingJobs.count } }

    /// The numbers of running lanes and of waiting jobs, and the longest wait. Jobs that wait for the end of a pause
    /// count too.
    package var figures: WaitFigures {
        lock.withLock {
            WaitFigures(
                running: lanes.count { $0.isRunning },
                waiting: pendingJobs.count + urgentJobs.count + pauseEndHandlers.count,
                since: submissionTimes.first
            )
        }
    }

    /// Whether the queue is closed, so that it accepts no further jobs.
    package var refusesJobs: Bool { lock.withLock { isClosed } }

    /// Adds a job that runs before all waiting jobs, also in a pause. Returns false when the queue is closed; the job
    /// then does not run.
    package func submitUrgent(_ job: Job) -> Bool {
        let (isAdded, lane) = lock.withLock {
            guard !isClosed else { return (false, nil as Lane?) }
            urgentJobs.append(job)
            guard let lane = lanes.first(where: { !$0.isRunning }) else {
                jobsChangedCondition.wakeOne()
                return (true, nil)
            }
            lane.isRunning = true
            return (true, lane)
        }
        if let lane { startLane(lane) }
        return isAdded
    }

    /// Pauses the queue: it accepts only urgent jobs until ``resumeJobs()``. Returns when all jobs that were added
    /// before have ended. After each call that returns true, the caller must call `resumeJobs` once.
    /// - Parameter waiting: a function that is called once, on any thread, when a job waits for the end of the pause.
    ///   The function must not block.
    /// - Returns: false when the queue is closed. The queue is then not paused.
    package func pauseAndWait(waiting: @escaping @Sendable () -> Void = {}) async -> Bool {
        let isPaused = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let answer: Bool? = lock.withLock {
                guard !isClosed else { return false }
                pauseCount += 1
                guard lanes.contains(where: \.isRunning) else { return true }
                jobsChangedCondition.wakeAll()
                pauseWaiters.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard isPaused else { return false }
        let isAwaited = lock.withLock {
            if pauseEndHandlers.isEmpty { jobWaitingHandlers.append(waiting) }
            return !pauseEndHandlers.isEmpty
        }
        if isAwaited { waiting() }
        return true
    }

    /// Ends a pause that ``pauseAndWait(waiting:)`` has begun.
    package func resumeJobs() {
        let (begins, functions) = lock.withLock {
            pauseCount -= 1
            guard pauseCount == 0 else { return ([Lane](), [] as [@Sendable () -> Void]) }
            jobWaitingHandlers = []
            let idle = lanes.filter { !$0.isRunning }
            let begins = isClosed ? idle[...] : idle.prefix(pendingJobs.count)
            for lane in begins { lane.isRunning = true }
            defer { pauseEndHandlers = [] }
            return (Array(begins), pauseEndHandlers)
        }
        for lane in begins { startLane(lane) }
        for function in functions { function() }
    }

    /// Refuses further jobs. The lanes end when the present jobs have ended and no pause is left.
    package func closeQueue() {
        let (idle, functions) = lock.withLock {
            isClosed = true
            jobsChangedCondition.wakeAll()
            let idle = pauseCount == 0 ? lanes.filter { !$0.isRunning } : []
            for lane in idle { lane.isRunning = true }
            defer { pauseEndHandlers = [] }
            return (idle, pauseEndHandlers)
        }
        for lane in idle { startLane(lane) }
        for function in functions { function() }
    }

    /// Closes the queue, and returns when all lanes have ended.
    package func closeAndWait() async {
        closeQueue()
        await withCheckedContinuation { continuation in
            let isEnded = lock.withLock {
                if !lanes.isEmpty { endWaiters.append(continuation) }
                return lanes.isEmpty
            }
            if isEnded { continuation.resume() }
        }
    }

    private func startLane(_ lane: Lane) {
        threads.runWork { [self] in
            var deadline: ContinuousClock.Instant?
            while let jobs = takeNextJobs(lane, by: deadline) { deadline = lane.run(jobs) }
        }
    }

    private enum Step { case run([Job]), flush, pause, endLane }

    /// Returns the next jobs of a lane, or an empty array after the deadline. Returns nil when the lane is idle or
    /// paused, or has ended.
    private func takeNextJobs(_ lane: Lane, by deadline: ContinuousClock.Instant?) -> [Job]? {
        var paused: [CheckedContinuation<Bool, Never>] = []
        let step = lock.withLock {
            var isOver = false
            while urgentJobs.isEmpty, pendingJobs.isEmpty, pauseCount > 0 || !isOver {
                if pauseCount > 0 {
                    guard deadline == nil else { return Step.flush }
                    lane.isRunning = false
                    if !lanes.contains(where: \.isRunning) { swap(&paused, &pauseWaiters) }
                    return .pause
                }
                if isClosed { return .endLane }
                guard let deadline else {
                    lane.isRunning = false
                    return .pause
                }
                isOver = jobsChangedCondition.waitForSignal(lock, until: deadline)
            }
            if let job = urgentJobs.popFirst() { return .run([job]) }
            let taken = Array(pendingJobs.prefix(maxBatchCount))
            pendingJobs.removeFirst(taken.count)
            submissionTimes.removeFirst(taken.count)
            return .run(taken)
        }
        for continuation in paused { continuation.resume(returning: true) }
        switch step {
        case .run(let jobs): return jobs
        case .flush:
            lane.flushWork()
            return takeNextJobs(lane, by: nil)
        case .pause: break
        case .endLane: endLane(lane)
        }
        return nil
    }

    private func endLane(_ lane: Lane) {
        lane.endWork()
        let ended = lock.withLock {
            lanes.removeAll { $0 === lane }
            guard lanes.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { endWaiters.removeAll() }
            return endWaiters
        }
        for continuation in ended { continuation.resume() }
    }
}
