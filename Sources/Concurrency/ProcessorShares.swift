import DequeModule
import Synchronization

/// Shares the processor among members, for example stores, so that many calls of one member delay the calls of other
/// members only a little.
///
/// While other members are active, a limited number of a member's calls run at the same time. Its further calls wait,
/// in their order. While no other member is active, a member has no limit.
///
/// A call may also wait for a disk, for the network, or for another call. So a call that does not end counts as running
/// only for a limited time, and then the next call begins.
///
/// Each ``ProcessorShare`` stores the calls of its member. So nothing remains when a member is released.
package final class ProcessorShares: Sendable {
    package struct Limits: Sendable {
        /// Maximal number of calls of a member that run at the same time while other members are active.
        package var maxRunningCalls: Int
        /// The time for which a member counts as active after one of its calls has begun or ended.
        package var activeTime = Duration.milliseconds(100)
        /// The time for which a call counts as running. A call that needs only the processor and a fast disk ends
        /// earlier. With a longer time, many calls that wait for a relay would delay the calls behind them.
        package var maxCountedTime = Duration.milliseconds(10)

        package init(runningCalls: Int) { self.maxRunningCalls = max(1, runningCalls) }
    }

    /// The member that was active last, the time of this activity, and the time of the last activity of any other
    /// member.
    private struct Activity {
        var memberCount: UInt64 = 0
        var lastMember: UInt64 = 0
        var lastTime: Duration?
        /// The time of the last activity of a member other than `lastMember`.
        var lastTimeOfOthers: Duration?

        mutating func recordMemberActivity(_ member: UInt64, at time: Duration) {
            if member != lastMember { lastTimeOfOthers = lastTime }
            (lastMember, lastTime) = (member, time)
        }

        func lastTime(ofMembersExcept member: UInt64) -> Duration? {
            member == lastMember ? lastTimeOfOthers : lastTime
        }
    }

    let limits: Limits
    let now: @Sendable () -> Duration
    let sleepFor: @Sendable (Duration) async -> Void
    private let activity = Mutex(Activity())

    package init<C: Clock>(_ limits: Limits, clock: C = ContinuousClock()) where C.Duration == Duration {
        self.limits = limits
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleepFor = { try? await clock.sleep(for: $0) }
    }

    package func makeShare() -> ProcessorShare {
        let number = activity.withLock { activity in
            activity.memberCount += 1
            return activity.memberCount
        }
        return ProcessorShare(of: self, number: number)
    }

    func recordActivity(of member: UInt64, at time: Duration) {
        activity.withLock { $0.recordMemberActivity(member, at: time) }
    }

    /// Returns how many calls of a member may run at the same time.
    func computeMaxRunningCalls(of member: UInt64, at time: Duration) -> Int {
        let other = activity.withLock { $0.lastTime(ofMembersExcept: member) }
        guard let other, time - other <= limits.activeTime else { return .max }
        return limits.maxRunningCalls
    }
}

/// A member of ``ProcessorShares``, for example a store. Runs its calls, and delays the calls that exceed its share.
package final class ProcessorShare: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        /// The calls that count as running, in the order in which they began.
        var running: Deque<(number: UInt64, since: Duration)> = []
        var waiting: Deque<CheckedContinuation<UInt64, Never>> = []
        /// Whether a task waits for the end of the time for which calls count as running.
        var isWatching = false

        /// Removes the calls that no longer count as running.
        mutating func removeCalls(begunBefore time: Duration) {
            while let first = running.first, first.since <= time { running.removeFirst() }
        }

        mutating func takeNextCall(at time: Duration) -> (CheckedContinuation<UInt64, Never>, UInt64)? {
            guard let next = waiting.popFirst() else { return nil }
            lastNumber += 1
            running.append((lastNumber, time))
            return (next, lastNumber)
        }
    }

    private let shares: ProcessorShares
    private let number: UInt64
    private let state = Mutex(State())

    fileprivate init(of shares: ProcessorShares, number: UInt64) {
        self.shares = shares
        self.number = number
    }

    /// Number of calls that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when this member has its turn, after its earlier calls. Cancellation does not end the wait: `body`
    /// finds that the task is cancelled.
    package func runCall<T>(_ body: () async throws -> T) async rethrows -> T {
        let call = await withCheckedContinuation { continuation in
            let time = shares.now()
            shares.recordActivity(of: number, at: time)
            startCalls(at: time) { $0.waiting.append(continuation) }
        }
        defer {
            let time = shares.now()
            shares.recordActivity(of: number, at: time)
            startCalls(at: time) { state in
                guard let index = state.running.firstIndex(where: { $0.number == call }) else { return }
                state.running.remove(at: index)
            }
        }
        return try await body()
    }

    /// Changes the state, and then starts the waiting calls that may run.
    private func startCalls(at time: Duration, after change: (inout State) -> Void = { _ in }) {
        let limit = shares.computeMaxRunningCalls(of: number, at: time)
        let (begun, watches) = state.withLock { state in
            change(&state)
            state.removeCalls(begunBefore: time - shares.limits.maxCountedTime)
            var begun: [(CheckedContinuation<UInt64, Never>, UInt64)] = []
            while state.running.count < limit, let next = state.takeNextCall(at: time) { begun.append(next) }
            let watches = !state.isWatching && !state.waiting.isEmpty
            if watches { state.isWatching = true }
            return (begun, watches)
        }
        for (continuation, call) in begun { continuation.resume(returning: call) }
        if watches { Task.detached { [self] in await watchWaitingCalls() } }
    }

    /// Starts waiting calls whenever a running call no longer counts as running. Ends when no call waits.
    private func watchWaitingCalls() async {
        while let time = findNextCountingEnd() {
            await shares.sleepFor(time - shares.now())
            startCalls(at: shares.now())
        }
    }

    /// Returns the time at which the first running call no longer counts; nil when no call waits.
    private func findNextCountingEnd() -> Duration? {
        state.withLock { state in
            guard !state.waiting.isEmpty, let first = state.running.first else {
                state.isWatching = false
                return nil
            }
            return first.since + shares.limits.maxCountedTime
        }
    }
}
