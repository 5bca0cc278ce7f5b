internal import Agent
internal import ChatAPI
internal import Concurrency
internal import SQLCipher

/// How often an event is tried, and what becomes of one that cannot be handled: it must stop neither its connection nor a start.
extension ChatController {
    /// The agent considers events delivered when this returns.
    /// - Throws: when the core stops meanwhile, or its databases are closed: the agent delivers the events again after the next start.
    func handle(_ events: [AgentEvent]) async throws {
        var steps = AgentStep.steps(events)[...]
        while let first = steps.first {
            let subscribers = await requestsOfSubscribers(steps)
            steps = steps.dropFirst(max(1, subscribers.count))
            if subscribers.count > 1 {
                try await handleConcurrently(subscribers)
            } else {
                // A change of status waits for another commit to go with, but not where other events wait for it.
                try await handle(first, within: steps.isEmpty ? configuration.statusDelay : .zero)
            }
        }
    }

    /// Those at the beginning with which somebody asks to be let into a channel that a user serves. What a request says of itself is a stranger's word: the link that it came to
    /// decides.
    private func requestsOfSubscribers(_ steps: ArraySlice<AgentStep>) async -> ArraySlice<AgentStep> {
        let signed = steps.prefix { $0.signedRequestLink != nil }
        guard signed.count > 1 else { return [] }
        let links = Set(signed.compactMap(\.signedRequestLink))
        // When they cannot be read, each event is handled by itself, and what fails there is tried again.
        let served = try? await store.read { db in
            try links.filter { link in
                guard let link = try GroupLinkRecord.find(agent: link, in: db) else { return false }
                return try GroupRecord.find(link.groupId, user: link.userId, in: db)?.isServed == true
            }
        }
        return signed.prefix { step in step.signedRequestLink.map { served?.contains($0) == true } ?? false }
    }

    /// Who joins a channel does not wait for others who do, and their transactions are one.
    private func handleConcurrently(_ steps: ArraySlice<AgentStep>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, step) in steps.enumerated() {
                if index >= Self.concurrentRequests { try await tasks.next() }
                tasks.addTask { try await self.handle(step) }
            }
            try await tasks.waitForAll()
        }
    }

    private static let concurrentRequests = 8

    private static let attemptLimit = 3

    /// - Parameter delay: how long the commit may be put off, where nobody waits for it.
    private func handle(_ step: AgentStep, within delay: Duration = .zero) async throws {
        var failures = 0
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        var roomBackoff = Backoff(initial: .milliseconds(200), limit: .seconds(10))
        while true {
            do {
                guard step.addsToStore else { return try await carryOut(step, within: delay) }
                await refreshQuota()
                return try await StoreQuota.$purpose.withValue(.received) { try await carryOut(step, within: delay) }
            } catch let full as QuotaExceeded {
                // As many of them as there is room for.
                if try await handleParts(of: step) { return }
                try await waitForRoom(full, &roomBackoff)
            } catch let error as DatabaseError where error.isTemporary || error == .closed {
                try await wait(&backoff, after: error)
            } catch {
                guard isOnline else { throw error }
                // One of them is wrong, and the others are not to share its fate.
                if try await handleParts(of: step) { return }
                failures += 1
                // A refusal by the core or the agent stays one.
                if error is ChatFailure || error is AgentError || failures == Self.attemptLimit { return try await setAside(step, after: error) }
                try await wait(&backoff, after: error)
            }
        }
    }

    /// - Returns: false for what has no parts.
    private func handleParts(of step: AgentStep) async throws -> Bool {
        let parts = step.parts
        guard parts.count > 1 else { return false }
        for part in parts { try await handle(part) }
        return true
    }

    /// Nothing of the connection is acknowledged meanwhile: its relay keeps what comes, and when its queue there is full, the peer does.
    private func waitForRoom(_ full: QuotaExceeded, _ backoff: inout Backoff) async throws {
        if store.quota.waiting == 0 {
            logger.warning("the store is full: what peers send waits at their relays", metadata: ["limit of": "\(full.resource.rawValue)", "limit": "\(full.limit)"])
        }
        let quota = store.quota
        // This may take days, with many starts.
        await agent.takeBackAttempt()
        repeat {
            guard isOnline, running.withLock({ !$0.isSuspended }) else { throw full }
            await quota.waitForRoom(backoff.next())
            // What is deleted makes room in the agent's database as well.
            await refreshQuota()
        } while try await store.read { db in try quota.isFull(full.resource, db) }
        guard isOnline, running.withLock({ !$0.isSuspended }) else { throw full }
        quota.wakeSome()
    }

    /// How large the agent's database is counts where databases are limited.
    func refreshQuota() async { if store.quota.limits[.databaseBytes] != nil { await store.quota.refresh(agent) } }

    private var isOnline: Bool { running.withLock { $0.isRunning || $0.isStarting } }

    private func carryOut(_ step: AgentStep, within delay: Duration) async throws {
        switch step {
        case .messages(let id, let messages): try await received(id, messages)
        case .statuses(let id, let news): try await changed(id, news, within: delay)
        case .event(let event): try await process(event)
        }
    }

    private func wait(_ backoff: inout Backoff, after error: any Error) async throws {
        logger.warning("agent event not handled yet", metadata: ["error": "\(error)"])
        guard isOnline else { throw error }
        try await Task.sleep(for: backoff.next())
    }

    /// An event that the process has ended at again and again.
    func setAside(_ event: AgentEvent) async throws {
        for step in AgentStep.steps([event]) { try await setAside(step, after: EndedProcess()) }
    }

    private struct EndedProcess: Error, CustomStringConvertible {
        var description: String { "the process ended whenever it was handled" }
    }

    /// Reports an event that cannot be handled, and is done with it. Messages are kept unread.
    private func setAside(_ step: AgentStep, after error: any Error) async throws {
        logger.error("agent event set aside", metadata: ["error": "\(error)"])
        let reported: ChatError =
            switch error {
            case let failure as ChatFailure: failure.error
            case let error as AgentError: .agent(error.api)
            default: .error(errorType: .exception(message: "not handled: \(error)"))
            }
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(60))
        // What cannot be read or kept is reported all the same.
        var forms: [SetAside] = [.kept, .reported, .reportedToAll]
        while let form = forms.first {
            do {
                try await store.write { tx in try Self.setAside(step, reported, form, tx) }
                break
            } catch let failure as DatabaseError where failure.isTemporary || failure == .closed || forms.count == 1 {
                try await wait(&backoff, after: failure)
            } catch {
                forms.removeFirst()
            }
        }
        switch step {
        case .messages(let id, let messages): agent.acknowledge(connection: id, messageIDs: messages.map(\.meta.recipient.id))
        // A request that was never shown cannot be answered by the user.
        case .event(.request(_, let invitation, _)) where !(error is ChatFailure || error is AgentError): try? await agent.reject(invitation)
        default: break
        }
    }

    private enum SetAside { case kept, reported, reportedToAll }

    private static func setAside(_ step: AgentStep, _ error: ChatError, _ form: SetAside, _ tx: Transaction) throws {
        guard form != .reportedToAll, let id = step.connection else { return try tx.emit(.chatError(chatError: error), user: nil) }
        guard let connection = try ConnectionRecord.find(agent: id, in: tx.db) else {
            return try tx.emit(.chatError(chatError: error), user: DeletedConnections.user(of: id, in: tx.db))
        }
        if form == .kept, case .messages(_, let messages) = step {
            let new = messages.filter { $0.meta.recipient.id > connection.lastReceivedId }
            // They were handled, and the agent did not know yet.
            guard let last = new.last else { return }
            try tx.db.execute(
                "UPDATE connections SET last_rcv_msg_id = ? WHERE connection_id = ?", [last.meta.recipient.id, connection.connectionId])
            for message in new { try UnhandledMessages.keep(message.body, event: "", sharedID: nil, message.meta.recipient.id, connection, tx) }
        }
        try tx.emit(.chatError(chatError: error), user: connection.userId)
    }
}
