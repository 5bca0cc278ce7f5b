internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// Carries out ``MemberSteps``, the network steps that connect members. Steps that need the same SMP relay run one
/// after the other. Other steps run concurrently. A step that fails because of the network is repeated after pauses
/// that grow.
final class MemberStepWorker: Worker {
    let followUpWork = FollowUp.memberSteps
    let store: ChatStore
    let agent: Agent
    let logger: Logger
    let signal = WakeSignal()
    private let state = Mutex(State())

    struct PendingStep: Hashable, Sendable {
        let userId: Int64
        let memberId: Int64
        let step: MemberSteps.Step?
        let request: String?

        /// Whether the step waits while the store is full. The acceptance of an invitation does not wait: the
        /// invitation becomes pending again, so that the user can decide.
        var waitsForSpace: Bool { step == .invite || step == .join || step == .contact }

        /// The key of the step's lane. Steps in one lane run one after the other. The key is the SMP relay in the text
        /// of the link. For a step that creates a queue at one of the user's relays, the key is the id of the user.
        var laneKey: String {
            guard let link = request?.substring(after: "smp=") else { return "\(userId)" }
            // The text after `smp=` begins with `smp://<key hash>@<host>/` in percent encoding.
            return link.split(separator: "%2F", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined()
        }
    }

    private struct State {
        /// The lanes whose steps are running. A lane is a group of steps that run one after the other.
        var busyLanes: Set<String> = []
        /// Number of failures of each failed step, and the time of its next attempt.
        var failedSteps: [PendingStep: (times: Int, next: ContinuousClock.Instant)] = [:]
        /// The end of the pause for steps that create a connection; nil if the last check has found room in the store.
        var fullStorePauseEnd: ContinuousClock.Instant?
    }

    /// The maximum number of lanes that run concurrently. The steps of one lane run one after the other.
    private static let maxConcurrentLanes = 16
    private static let firstRetryPause: Duration = .seconds(10), longestRetryPause: Duration = .seconds(3600)
    /// The pause before the next check whether the store may have one more connection.
    private static let fullStorePause: Duration = .seconds(5)

    init(store: ChatStore, agent: Agent, logger: Logger) {
        self.store = store
        self.agent = agent
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try db.hasRow("SELECT 1 FROM group_members WHERE step IS NOT NULL") ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        // If steps exist at the start, the pause is zero, and an earlier process may have left these steps. Steps that
        // are added later belong to running commands.
        if start.pause == .zero {
            do { try await store.write { tx in try MemberSteps.resumeInterruptedSteps(tx) } } catch {
                logger.warning("interrupted connections to members not resumed", metadata: ["error": "\(error)"])
            }
        }
        await withDiscardingTaskGroup { tasks in
            await signal.run(logger, .warning, after: start.pause, whenFailed: "members not connected") {
                let (due, pause) = reserveDueSteps(try await loadPendingSteps())
                for (lane, steps) in due { tasks.addTask { await self.runSteps(steps, in: lane) } }
                return pause
            }
        }
    }

    /// Reserves the free lanes that have due steps. A lane is a group of steps that run one after the other.
    /// - Returns: the steps of these lanes, and the pause before the next retry.
    private func reserveDueSteps(
        _ pending: [PendingStep]
    ) -> (due: [(lane: String, steps: [PendingStep])], pause: Duration?) {
        state.withLock { state in
            let left = Set(pending)
            state.failedSteps = state.failedSteps.filter { left.contains($0.key) }
            let now = ContinuousClock.now
            let fullUntil = state.fullStorePauseEnd.flatMap { $0 > now ? $0 : nil }
            let ready = pending.filter {
                (state.failedSteps[$0]?.next ?? now) <= now && !(fullUntil != nil && $0.waitsForSpace)
            }
            let lanes = Dictionary(grouping: ready, by: \.laneKey)
                .filter { !state.busyLanes.contains($0.key) }
            // The lanes whose steps have failed least often run first.
            let ordered = lanes.map {
                (lane: $0.key, steps: $0.value, failures: $0.value.map { state.failedSteps[$0]?.times ?? 0 }.min() ?? 0)
            }
            .sorted { ($0.failures, $0.lane) < ($1.failures, $1.lane) }
            let due = ordered.prefix(max(0, Self.maxConcurrentLanes - state.busyLanes.count)).map {
                (lane: $0.lane, steps: $0.steps)
            }
            state.busyLanes.formUnion(due.map(\.lane))
            let next = state.failedSteps.values.map(\.next).filter { $0 > now } + [fullUntil].compactMap(\.self)
            return (due, next.min().map { $0 - now })
        }
    }

    private func runSteps(_ steps: [PendingStep], in lane: String) async {
        for step in steps where !Task.isCancelled {
            do { try await runStep(step) } catch let error as QuotaExceeded {
                // The other steps of the lane would fail too, because the store is full. The next attempt tries all of
                // them again.
                if beginFullStorePause() {
                    logger.notice("members wait for room in the store", metadata: ["error": "\(error)"])
                }
                break
            } catch {
                guard !Task.isCancelled else { break }
                let times = state.withLock { state in
                    let times = min(20, (state.failedSteps[step]?.times ?? 0) + 1)
                    state.failedSteps[step] = (
                        times, .now + min(Self.longestRetryPause, Self.firstRetryPause * (1 << (times - 1)))
                    )
                    return times
                }
                logger.warning("member not connected", metadata: ["error": "\(error)", "times": "\(times)"])
            }
        }
        state.withLock { _ = $0.busyLanes.remove(lane) }
        // Steps that were added to this lane while it was busy may wait, so the worker looks for due steps again.
        wake()
    }

    /// Begins the pause of steps that create a connection, because the store is full.
    /// - Returns: whether the pause is the first since the store became full.
    private func beginFullStorePause() -> Bool {
        state.withLock { state in
            defer { state.fullStorePauseEnd = .now + Self.fullStorePause }
            return state.fullStorePauseEnd == nil
        }
    }

    /// Checks that the limits of the store allow one more connection.
    /// - Throws: `QuotaExceeded`.
    func checkCapacity() async throws {
        try await store.quota.checkCapacity(for: .connections, agent) { try await store.read($0) }
        state.withLock { state in
            if state.fullStorePauseEnd.map({ $0 <= .now }) ?? false { state.fullStorePauseEnd = nil }
        }
    }

    /// Runs `body`, which creates a connection, in one transaction within the limit of connections.
    func writeWithinConnectionLimit<T: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await store.write(for: .command(.connections), body)
    }

    private func loadPendingSteps() async throws -> [PendingStep] {
        try await store.read { db in
            try db.query(
                "SELECT user_id, group_member_id, step, step_request FROM group_members WHERE step IS NOT NULL AND step <> 'asked' ORDER BY user_id, group_member_id"
            )
            .map { row in
                PendingStep(
                    userId: try row.int64("user_id"),
                    memberId: try row.int64("group_member_id"),
                    step: MemberSteps.Step(rawValue: try row.string("step")),
                    request: try row.stringOrNil("step_request")
                )
            }
        }
    }

    private func runStep(_ pending: PendingStep) async throws {
        do {
            switch pending.step {
            case .invite: try await inviteMember(pending)
            case .join: try await joinMember(pending)
            case .accept: try await acceptInvitation(pending)
            case .contact: try await joinMemberContact(pending)
            case .relay: try await joinRelay(pending)
            // The worker never gets this step, because its query leaves the step out.
            case .relayReserved: break
            case .acceptRelay: try await acceptRelay(pending)
            case nil: try await removeStep(pending)
            }
        } catch {
            guard Self.isPermanent(error), !(error is QuotaExceeded && pending.waitsForSpace) else { throw error }
            logger.warning("a member cannot be connected", metadata: ["error": "\(error)"])
            try await removeStep(pending)
        }
    }

    /// Whether the error is permanent, so that another attempt would fail too.
    private static func isPermanent(_ error: any Error) -> Bool {
        switch error {
        case let error as AgentError: !error.isTemporary
        case is ChatFailure, is LinkError, is QuotaExceeded: true
        default: false
        }
    }

    func removeStep(_ pending: PendingStep) async throws {
        try await store.write { tx in
            try MemberSteps.removeSteps(pending.memberId, user: pending.userId, tx)
            if pending.step == .accept {
                try MemberSteps.withdrawAcceptance(of: pending.memberId, user: pending.userId, tx)
            }
        }
    }

    func loadRecords(
        _ pending: PendingStep
    ) async throws -> (user: UserRecord, group: GroupRecord, member: MemberRecord)? {
        try await store.read { db in
            guard let user = try UserRecord.find(pending.userId, in: db),
                let member = try MemberRecord.find(pending.memberId, user: pending.userId, in: db),
                let group = try GroupRecord.find(member.groupId, user: pending.userId, in: db)
            else { return nil }
            return (user, group, member)
        }
    }
}

extension String {
    /// Returns the part of the string after the first occurrence of the text.
    fileprivate func substring(after text: String) -> Substring? {
        firstRange(of: text).map { self[$0.upperBound...] }
    }
}
