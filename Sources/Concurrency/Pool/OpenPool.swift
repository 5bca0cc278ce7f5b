import DequeModule
import Synchronization

/// Limits how many members are open at the same time, for example stores whose databases have open files.
///
/// A member is opened when it is used. A member that was not used for a while is closed. If another member is to be
/// used when the maximal number is open, the member unused for the longest time is closed. Members in use stay open. If
/// all open members are in use, the caller waits for a limited time until one of them becomes free.
///
/// A use waits only before it begins. So no use holds one member while it waits for another member, and uses of several
/// members cannot wait for each other.
package final class OpenPool: Sendable {
    package struct Limits: Sendable {
        /// Maximal number of members that are open.
        package var maxOpenMembers: Int
        /// The time that the first use of a request waits at most, see ``PoolRequest``.
        package var maxFirstWait = Duration.seconds(10)
        /// The time that a later use of a request, or a use without a request, waits at most.
        package var maxLaterWait = Duration.seconds(300)
        /// The time without a use after which a member is closed.
        package var idleTime = Duration.seconds(30)
        /// Maximal number of members that are being closed. The number is limited because closing a member may write
        /// much, on threads that members in use also need.
        package var maxClosingMembers = 64

        package init(open: Int) { self.maxOpenMembers = max(1, open) }
    }

    package struct Figures: Sendable, Hashable {
        /// Number of members that are open or being closed.
        package var openCount = 0
        /// Number of members with uses that wait now.
        package var waitingCount = 0
        /// Number of times since the start that a closed member had to wait because the maximal number of members was
        /// open.
        package var waitCount = 0
        /// Number of uses that were refused because they waited too long, since the start.
        package var refusalCount = 0
        /// Number of times that a member was closed, since the start.
        package var closeCount = 0

        package init() {}
    }

    /// The interval at which the pool looks for members that waited too long, or were not used for too long.
    static let watchInterval = Duration.seconds(1)
    /// If closing a member takes longer than this time, the pool closes a further member to make room.
    static let slowCloseTime = Duration.seconds(1)

    /// Members in the order of their last uses. An entry is stale if its member was used after the entry was added.
    private struct IdleMembers {
        private struct Entry {
            let member: PoolMember
            let begunUseCount: UInt64
            var isStale: Bool { !member.isIdle || member.begunUseCount != begunUseCount }
        }
        private var entries: Deque<Entry> = []

        /// Adds a member that is no longer in use.
        /// - Parameter open: the number of open members. The list has at most this number of valid entries. If it has
        ///   many more entries, the stale entries are removed.
        mutating func appendMember(_ member: PoolMember, open: Int) {
            if entries.count > 2 * open + 64 { entries.removeAll(where: \.isStale) }
            entries.append(Entry(member: member, begunUseCount: member.begunUseCount))
        }

        /// Removes and returns the member with the longest time without a use.
        /// - Parameter end: only a member without a use since this time is returned; nil for any member.
        mutating func takeMember(unusedSince end: Duration?) -> PoolMember? {
            while let entry = entries.first {
                if entry.isStale {
                    entries.removeFirst()
                } else if let end, entry.member.lastUseEndTime > end {
                    return nil
                } else {
                    return entries.removeFirst().member
                }
            }
            return nil
        }
    }

    private struct State {
        var figures = Figures()
        /// Members that wait until they may open, in the order of their first waiting uses.
        var waitingMembers: Deque<PoolMember> = []
        var idleMembers = IdleMembers()
        /// Members that are being closed.
        var closingMembers: [PoolMember] = []
        /// Members that could not be closed. After `watchInterval`, the pool treats them like other unused members.
        var stuckMembers: [PoolMember] = []
        var isWatching = false
    }

    package let limits: Limits
    private let state = Mutex(State())
    private let now: @Sendable () -> Duration
    private let sleepForInterval: @Sendable () async -> Void

    package init<C: Clock>(_ limits: Limits, clock: C = ContinuousClock()) where C.Duration == Duration {
        self.limits = limits
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleepForInterval = { try? await clock.sleep(for: Self.watchInterval) }
    }

    package var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.waitingCount = state.waitingMembers.count
            return figures
        }
    }

    /// Begins a use of a member now or when the pool opens the member: see ``PoolMember/requestUse(for:_:refuse:)``.
    func requestUse(_ member: PoolMember, _ use: PoolMember.Use) {
        if use.request?.isRefused == true { return use.refuseUse(PoolExhausted(isFirstUse: true)) }
        let begins = state.withLock { state in
            guard member.phase == .open else {
                var use = use
                use.deadline =
                    now() + (use.request?.hasUsedNoMember == true ? limits.maxFirstWait : limits.maxLaterWait)
                member.pendingUses.append(use)
                guard member.phase == .closed else { return false }
                if state.figures.openCount >= limits.maxOpenMembers { state.figures.waitCount += 1 }
                member.phase = .waiting
                state.waitingMembers.append(member)
                return false
            }
            member.beginUse()
            return true
        }
        if begins { beginUse(use, of: member) } else { openAndCloseMembers() }
    }

    /// Begins a use that is already in the member's count of active uses. If the first use of a request was refused,
    /// all its further uses are refused too, so that nothing is done for the request.
    private func beginUse(_ use: PoolMember.Use, of member: PoolMember) {
        if use.request?.tryBeginUse() ?? true { return use.beginUse() }
        endUse(of: member)
        use.refuseUse(PoolExhausted(isFirstUse: true))
    }

    func endUse(of member: PoolMember) {
        let isOver = state.withLock { state in
            member.activeUseCount -= 1
            guard member.activeUseCount == 0, member.phase == .open else { return false }
            setIdle(member, &state)
            return member.parts.isEmpty || !state.waitingMembers.isEmpty
        }
        if isOver { openAndCloseMembers() }
    }

    /// Records that an open member is not in use. A member without parts has nothing open, so it counts as closed.
    private func setIdle(_ member: PoolMember, _ state: inout State) {
        if member.parts.isEmpty { return setClosed(member, &state) }
        member.lastUseEndTime = now()
        if !member.hasFailedToClose { state.idleMembers.appendMember(member, open: state.figures.openCount) }
    }

    private func setClosed(_ member: PoolMember, _ state: inout State) {
        state.figures.openCount -= 1
        member.phase = member.pendingUses.isEmpty ? .closed : .waiting
        if member.phase == .waiting { state.waitingMembers.append(member) }
    }

    func isOpen(_ member: PoolMember) -> Bool {
        state.withLock { _ in member.phase == .open || member.phase == .opening }
    }

    func addPart(_ part: PoolMember.Part, to member: PoolMember) {
        state.withLock { _ in member.parts[part.id] = part }
    }

    /// Records that a lane (a worker) of a part has ended. A part whose lanes have all ended has nothing open.
    func endLane(of part: ObjectIdentifier, in member: PoolMember) {
        let isOver = state.withLock { state in
            guard let lanes = member.parts[part]?.laneCount else { return false }
            member.parts[part]?.laneCount = lanes - 1
            guard lanes == 1 else { return false }
            member.parts[part] = nil
            guard member.parts.isEmpty, member.isIdle else { return false }
            setClosed(member, &state)
            return true
        }
        if isOver { openAndCloseMembers() }
    }

    /// Opens members that wait, as far as the limit allows. Closes unused members to make room for further waiting
    /// members.
    private func openAndCloseMembers() {
        let (opened, closed, begins) = state.withLock { state in
            var (opened, closed): ([PoolMember], [PoolMember]) = ([], [])
            while state.figures.openCount < limits.maxOpenMembers, let member = state.waitingMembers.popFirst() {
                state.figures.openCount += 1
                member.phase = .opening
                opened.append(member)
            }
            // Members that close slowly are not counted, so that they do not prevent the closing of other members.
            let quick =
                state.waitingMembers.isEmpty
                ? 0 : state.closingMembers.count { now() - $0.closingStartTime < Self.slowCloseTime }
            while quick + closed.count < state.waitingMembers.count,
                state.closingMembers.count < limits.maxClosingMembers,
                let member = state.idleMembers.takeMember(unusedSince: nil)
            {
                beginClosing(member, &state)
                closed.append(member)
            }
            let begins = !state.isWatching && (state.figures.openCount > 0 || !state.waitingMembers.isEmpty)
            if begins { state.isWatching = true }
            return (opened, closed, begins)
        }
        for member in opened { openMember(member) }
        for member in closed { Task.detached { [self] in await closeMember(member) } }
        // The task is detached, because it watches the members for all requests. It must not inherit values of the
        // present task.
        if begins {
            Task.detached { [weak self, sleepForInterval] in await Self.watchMembers({ self }, sleepForInterval) }
        }
    }

    private func beginClosing(_ member: PoolMember, _ state: inout State) {
        (member.phase, member.closingStartTime) = (.closing, now())
        state.closingMembers.append(member)
    }

    /// Begins the waiting uses of a member, in their order, and then allows further uses.
    private func openMember(_ member: PoolMember) {
        while true {
            let (uses, makesRoom) = state.withLock { state in
                let uses = member.pendingUses
                member.pendingUses = []
                for _ in uses { member.beginUse() }
                guard uses.isEmpty else { return (uses, false) }
                member.phase = .open
                guard member.activeUseCount == 0 else { return (uses, false) }
                setIdle(member, &state)
                return (uses, !state.waitingMembers.isEmpty)
            }
            if makesRoom { Task.detached { [self] in openAndCloseMembers() } }
            if uses.isEmpty { return }
            for use in uses { beginUse(use, of: member) }
        }
    }

    private func closeMember(_ member: PoolMember) async {
        let parts = state.withLock { _ in Array(member.parts.values) }
        var isClosed = true
        // All parts are closed, even if one of them cannot be closed.
        for part in parts where await !part.closePart() { isClosed = false }
        let stays = state.withLock { state in
            state.closingMembers.removeAll { $0 === member }
            guard isClosed || member.parts.isEmpty else {
                // The pool does not try to close this member again before its next use or the next interval.
                state.stuckMembers.append(member)
                (member.phase, member.hasFailedToClose) = (.opening, true)
                return true
            }
            state.figures.closeCount += 1
            setClosed(member, &state)
            return false
        }
        if stays { openMember(member) }
        openAndCloseMembers()
    }

    /// Looks for members that have waited too long, or were not used for too long. Ends when no member is open and none
    /// waits.
    private static func watchMembers(_ pool: () -> OpenPool?, _ sleep: () async -> Void) async {
        while true {
            await sleep()
            guard let pool = pool(), pool.checkMembers() else { return }
        }
    }

    /// Refuses uses that have waited too long, and closes members that were not used for too long.
    /// - Returns: whether a member is open or waits.
    private func checkMembers() -> Bool {
        let (refused, closed, goesOn) = state.withLock { state in
            let time = now()
            var refused: [PoolMember.Use] = []
            for member in Array(state.waitingMembers) + state.closingMembers {
                refused += member.pendingUses.filter { $0.deadline <= time }
                member.pendingUses.removeAll { $0.deadline <= time }
            }
            state.waitingMembers.removeAll { member in
                guard member.pendingUses.isEmpty else { return false }
                member.phase = .closed
                return true
            }
            state.figures.refusalCount += refused.count
            for member in state.stuckMembers where member.hasFailedToClose {
                member.hasFailedToClose = false
                if member.isIdle { setIdle(member, &state) }
            }
            state.stuckMembers = []
            var closed: [PoolMember] = []
            while state.closingMembers.count < limits.maxClosingMembers,
                let member = state.idleMembers.takeMember(unusedSince: time - limits.idleTime)
            {
                beginClosing(member, &state)
                closed.append(member)
            }
            state.isWatching = state.figures.openCount > 0 || !state.waitingMembers.isEmpty
            return (refused, closed, state.isWatching)
        }
        for use in refused { use.refuseUse(PoolExhausted(isFirstUse: use.request?.recordRefusal() ?? false)) }
        for member in closed { Task.detached { [self] in await closeMember(member) } }
        if goesOn { openAndCloseMembers() }
        return goesOn
    }
}
