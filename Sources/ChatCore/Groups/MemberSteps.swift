internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import Concurrency
internal import JSON
internal import Logging
internal import SQLCipher
import Synchronization

/// Network steps that are needed until members are connected. A step is recorded in the same transaction as its cause,
/// so that the step is not lost in a crash.
enum MemberSteps {
    enum Step: String {
        /// Creates a link for a member whom the admin has introduced, and sends the link to the admin.
        case invite
        /// Connects by the link of a new member.
        case join
        /// Connects by the link in the invitation of the member who is the host, since the user accepts all invitations
        /// automatically.
        case accept
        /// Connects by the link of a member who wants to be a contact, since the user accepts all such links
        /// automatically.
        case contact
        /// Connects to a relay of a channel.
        case relay
        /// Reserves the step for a running command that connects to a relay of a channel. The step becomes ``relay`` if
        /// the process ends before the command.
        case reserved = "asked"
        /// Reads the link of a relay that serves a channel of the user, and answers the relay.
        case acceptRelay
    }

    static func addStep(_ step: Step, to member: MemberRecord, request: String? = nil, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE group_members SET step = ?, step_request = ? WHERE user_id = ? AND group_member_id = ?",
            [step.rawValue, request, member.userId, member.memberId]
        )
        if step != .reserved { tx.followUp.insert(.memberSteps) }
    }

    /// Passes the steps of commands that the end of an earlier process has interrupted to the worker.
    static func resumeInterruptedSteps(_ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE group_members SET step = ? WHERE step = ?",
            [Step.relay.rawValue, Step.reserved.rawValue]
        )
    }

    /// Whether the member has this step.
    static func hasStep(_ step: Step, _ member: MemberRecord, _ db: StoreConnection) throws -> Bool {
        try db.queryFirst(
            "SELECT 1 FROM group_members WHERE user_id = ? AND group_member_id = ? AND step = ?",
            [member.userId, member.memberId, step.rawValue]
        ) != nil
    }

    static func removeSteps(_ member: MemberRecord, _ tx: Transaction) throws {
        try removeSteps(member.memberId, user: member.userId, tx)
    }

    static func removeSteps(_ memberId: Int64, user userId: Int64, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE group_members SET step = NULL, step_request = NULL WHERE user_id = ? AND group_member_id = ?",
            [userId, memberId]
        )
    }

    /// Makes an invitation pending again if its link could not be used to connect, and emits the event about it.
    /// - Parameter memberId: the host of the group.
    static func withdrawAcceptance(of memberId: Int64, user userId: Int64, _ tx: Transaction) throws {
        guard let user = try UserRecord.find(userId, in: tx.db),
            var host = try MemberRecord.find(memberId, user: userId, in: tx.db),
            var group = try GroupRecord.find(host.groupId, user: userId, in: tx.db),
            [host.status, group.membership.status].allSatisfy({ $0 == .accepted || $0 == .invited }),
            host.connection == nil || host.connection?.status == .prepared
        else { return }
        try host.setStatus(.invited, tx)
        try group.membership.setStatus(.invited, tx)
        try RunningCommand.setInvitationStatus(of: group, as: .pending, after: .accepted, user, tx)
        guard let contactId = host.contactId,
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else { return }
        try tx.emit(
            .receivedGroupInvitation(
                user: user.api,
                groupInfo: group.api(user),
                contact: contact.api(user),
                fromMemberRole: host.role,
                memberRole: group.membership.role
            ),
            user: user.userId
        )
    }
}

/// Carries out ``MemberSteps``. Steps that need the same SMP relay run one after the other. Other steps run
/// concurrently. A step that fails because of the network is repeated after pauses that grow.
final class MemberStepWorker: Worker {
    let followUp = FollowUp.memberSteps
    private let store: ChatStore
    private let agent: Agent
    private let logger: Logger
    private let signal = WakeSignal()
    private let state = Mutex(State())

    private struct PendingStep: Hashable, Sendable {
        let userId: Int64
        let memberId: Int64
        let step: MemberSteps.Step?
        let request: String?

        /// Whether the step waits while the store is full. An acceptance does not wait: the invitation becomes pending
        /// again, so that the user can decide.
        var waitsForSpace: Bool { step == .invite || step == .join || step == .contact }

        /// The lane of the step. Steps in one lane run one after the other. The lane is the SMP relay in the text of
        /// the link. For a step that creates a queue at one of the user's relays, the lane is the user.
        var laneKey: String {
            guard let link = request?.substring(after: "smp=") else { return "\(userId)" }
            // smp://<key hash>@<host>/
            return link.split(separator: "%2F", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined()
        }
    }

    private struct State {
        /// Lanes whose steps are running.
        var busyLanes: Set<String> = []
        /// Number of failures of each failed step, and the time of its next attempt.
        var failedSteps: [PendingStep: (times: Int, next: ContinuousClock.Instant)] = [:]
        /// The end of the pause of steps that create a connection; nil if the store was not full at the last such step.
        var fullStorePauseEnd: ContinuousClock.Instant?
    }

    /// The maximum number of lanes whose steps run concurrently.
    private static let maxConcurrentLanes = 16
    private static let firstPause: Duration = .seconds(10), longestPause: Duration = .seconds(3600)
    /// The pause before the next check whether the store may have one more connection.
    private static let fullStorePause: Duration = .seconds(5)

    init(store: ChatStore, agent: Agent, logger: Logger) {
        self.store = store
        self.agent = agent
        self.logger = logger
    }

    func wake() { signal.wake() }

    func run() async {
        do { try await store.write { tx in try MemberSteps.resumeInterruptedSteps(tx) } } catch {
            logger.warning("interrupted connections to members not resumed", metadata: ["error": "\(error)"])
        }
        await withDiscardingTaskGroup { tasks in
            await signal.run(logger, .warning, whenFailed: "members not connected") {
                let (due, pause) = reserveDueSteps(try await loadPendingSteps())
                for (lane, steps) in due { tasks.addTask { await self.runSteps(steps, in: lane) } }
                return pause
            }
        }
    }

    /// Reserves the free lanes that have due steps.
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
                        times, .now + min(Self.longestPause, Self.firstPause * (1 << (times - 1)))
                    )
                    return times
                }
                logger.warning("member not connected", metadata: ["error": "\(error)", "times": "\(times)"])
            }
        }
        state.withLock { _ = $0.busyLanes.remove(lane) }
        // Steps that were added to this lane while it was busy may wait.
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
    private func checkRoom() async throws {
        try await store.quota.checkRoom(for: .connections, agent) { try await store.read($0) }
        state.withLock { state in
            if state.fullStorePauseEnd.map({ $0 <= .now }) ?? false { state.fullStorePauseEnd = nil }
        }
    }

    /// Runs `body`, which creates a connection, in one transaction within the limit of connections.
    private func writeConnection<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
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
            case .reserved: break
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

    private func removeStep(_ pending: PendingStep) async throws {
        try await store.write { tx in
            try MemberSteps.removeSteps(pending.memberId, user: pending.userId, tx)
            if pending.step == .accept {
                try MemberSteps.withdrawAcceptance(of: pending.memberId, user: pending.userId, tx)
            }
        }
    }

    private func loadRecords(
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

    private func inviteMember(_ pending: PendingStep) async throws {
        guard let (user, _, _) = try await loadRecords(pending) else { return try await removeStep(pending) }
        try await checkRoom()
        // The step may be repeated after a crash, or after a full store. The agent returns the same link for the same
        // key.
        let key = Array("\(store.journal.epoch)-member-\(pending.userId)-\(pending.memberId)".utf8)
        let (id, request) = try await agent.createInvitation(user: user.agentUserId, pqSupport: false, for: key)
        let isWritten = try await writeConnection { tx in
            guard var member = try MemberRecord.find(pending.memberId, user: pending.userId, in: tx.db),
                !member.status.isRemoved,
                let group = try GroupRecord.find(member.groupId, user: pending.userId, in: tx.db),
                (group.membership.status.isCurrent || group.membership.status.isPending),
                let host = try MemberRecord.findHost(of: group, tx.db), let connection = host.connection,
                connection.canSend
            else { return false }
            _ = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .new,
                initiated: false,
                fullLink: nil,
                owner: .member(member.memberId),
                incognitoProfileId: group.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: ChatVersionRange.supported.compatibleVersion(with: member.versions)
                    ?? ChatVersionRange.initial.maximum,
                peerVersions: member.versions,
                level: connection.level + 1,
                viaContactId: host.contactId,
                at: tx.now,
                in: tx.db
            )
            try tx.enqueue(
                ChatMessage(
                    event: .group(.memberInvitation(member.sharedID, IntroInvitation(groupRequest: request.uri)))
                ),
                to: connection
            )
            try member.setStatus(.introInv, tx)
            try MemberSteps.removeSteps(member, tx)
            return true
        }
        guard !isWritten else { return }
        try await agent.delete(connections: [id], waitDelivery: false)
        try await removeStep(pending)
    }

    private func joinMember(_ pending: PendingStep) async throws {
        guard let (user, group, member) = try await loadRecords(pending), let text = pending.request,
            !member.status.isRemoved,
            (group.membership.status.isCurrent || group.membership.status.isPending)
        else { return try await removeStep(pending) }
        let event = try GroupEvent.memberInfo(group.membership.sharedID, profile: group.ownProfile(user))
        try await joinMemberByLink(pending, text, user, group, member, event)
    }

    private func acceptInvitation(_ pending: PendingStep) async throws {
        guard let (user, group, host) = try await loadRecords(pending), let text = pending.request,
            group.membership.status == .accepted
        else { return try await removeStep(pending) }
        try await joinMemberByLink(pending, text, user, group, host, .accept(group.membership.sharedID))
    }

    /// Connects by the link of a member.
    /// - Parameter event: the event that is sent with the confirmation of the connection.
    private func joinMemberByLink(
        _ pending: PendingStep,
        _ link: String,
        _ user: UserRecord,
        _ group: GroupRecord,
        _ member: MemberRecord,
        _ event: GroupEvent
    ) async throws {
        let request = try ConnectionRequest(parsing: link)
        guard request.isInvitation else { return try await removeStep(pending) }
        let connection = try await prepareConnection(request, user, group, member)
        guard let id = connection.agentConnectionID else { return try await removeStep(pending) }
        let info = try ChatMessage(event: .group(event)).encodedInfo(for: connection)
        let status: ConnStatus = try await joinConnection(id, request, info) ? .sndReady : .joined
        try await store.write { tx in
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(status, at: tx.now, in: tx.db)
            }
            try MemberSteps.removeSteps(member, tx)
        }
    }

    private func joinMemberContact(_ pending: PendingStep) async throws {
        guard let (user, group, member) = try await loadRecords(pending), let text = pending.request,
            let contactId = member.contactId,
            let contact = try await store.read({ try ContactRecord.find(contactId, user: user.userId, in: $0) })
        else { return try await removeStep(pending) }
        let request = try ConnectionRequest(parsing: text)
        let connection: ConnectionRecord
        if let tried = contact.connection {
            connection = tried
        } else {
            try await checkRoom()
            let id = try await agent.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
            connection = try await withRetirementOnFailure(id, user) { tx in
                try ConnectionRecord.create(
                    agent: id,
                    user: user,
                    status: .prepared,
                    initiated: false,
                    fullLink: request.uri,
                    owner: .contact(contactId),
                    incognitoProfileId: group.membership.incognitoProfileId,
                    pqSupport: false,
                    at: tx.now,
                    in: tx.db
                )
            }
        }
        guard let id = connection.agentConnectionID, connection.status == .prepared else {
            return try await removeStep(pending)
        }
        let profile = try await store.read { db in try user.profileWithBadge(over: connection, in: db) }
        let info = try ChatMessage(event: .info(profile: JSONEncoder().encodeValue(profile))).encodedInfo(
            for: connection
        )
        let isSecured = try await joinConnection(id, request, info)
        try await store.write { tx in
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            }
            if var contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db) {
                try contact.recordLinkUse(tx)
            }
            try MemberSteps.removeSteps(member, tx)
        }
    }

    private func joinRelay(_ pending: PendingStep) async throws {
        guard let (user, _, member) = try await loadRecords(pending) else { return try await removeStep(pending) }
        try await RelayJoiner(store: store, agent: agent, user: user, memberId: member.memberId).joinRelay(
            patience: .background
        )
        try await removeStep(pending)
    }

    private func acceptRelay(_ pending: PendingStep) async throws {
        guard let (user, _, member) = try await loadRecords(pending) else { return try await removeStep(pending) }
        try await RelayAcceptance(store: store, agent: agent, user: user, memberId: member.memberId).acceptRelay()
        try await removeStep(pending)
    }

    /// Makes the agent join the connection.
    /// - Returns: whether messages can be sent immediately.
    private func joinConnection(_ id: ConnectionID, _ request: ConnectionRequest, _ info: [UInt8]) async throws -> Bool
    {
        do { return try await agent.join(connection: id, request: request, connInfo: info) } catch AgentError.command(
            .prohibited,
            _
        ) {
            // An earlier attempt has joined, and ended before the chat database recorded this.
            return true
        }
    }

    /// Runs `body`, which stores a connection that the agent has created. If `body` fails, the agent's connection is
    /// retired.
    private func withRetirementOnFailure<T: Sendable>(
        _ id: ConnectionID,
        _ user: UserRecord,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        do { return try await writeConnection(body) } catch {
            try await store.write { tx in try tx.retireConnection(agent: id.text, user: user.userId) }
            throw error
        }
    }

    private func prepareConnection(
        _ request: ConnectionRequest,
        _ user: UserRecord,
        _ group: GroupRecord,
        _ member: MemberRecord
    ) async throws -> ConnectionRecord {
        if let connection = member.connection { return connection }
        // The limit of connections was not checked when the invitation or the introduction arrived, since neither
        // creates a connection.
        try await checkRoom()
        let id = try await agent.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
        return try await withRetirementOnFailure(id, user) { tx in
            guard let now = try MemberRecord.find(member.memberId, user: user.userId, in: tx.db), !now.status.isRemoved
            else { throw ChatFailure(ChatErrorType.groupMemberNotActive) }
            if let connection = now.connection {
                // A command that joins the group has prepared a connection first, so this new connection is deleted.
                try tx.retireConnection(agent: id.text, user: user.userId)
                return connection
            }
            let inviter = try member.invitedByMemberId.flatMap {
                try MemberRecord.find($0, user: user.userId, in: tx.db)
            }
            return try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .prepared,
                initiated: false,
                fullLink: nil,
                owner: .member(member.memberId),
                incognitoProfileId: group.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: ChatVersionRange.supported.compatibleVersion(with: member.versions)
                    ?? ChatVersionRange.initial.maximum,
                peerVersions: member.versions,
                level: member.category == .host ? 0 : (inviter?.connection?.level ?? 0) + 1,
                viaContactId: inviter?.contactId,
                at: tx.now,
                in: tx.db
            )
        }
    }
}

extension String {
    /// Returns the part of the string after the first occurrence of the text.
    fileprivate func substring(after text: String) -> Substring? {
        firstRange(of: text).map { self[$0.upperBound...] }
    }
}
