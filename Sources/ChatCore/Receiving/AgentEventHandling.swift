internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import SQLCipher

/// Handles events of the agent, and repeats failed attempts. An event that still cannot be handled is set aside, so
/// that it blocks neither its connection nor a start of the core.
extension AgentEventHandler {
    /// Handles events. The agent considers them delivered when this function returns.
    /// - Throws: an error if the core stops or closes its databases before all events are handled. The agent then
    ///   delivers the events again after the next start.
    func handleEvents(_ events: [AgentEvent]) async throws {
        var steps = AgentStep.makeSteps(events)[...]
        while let first = steps.first {
            let subscribers = await findSubscriberRequests(steps)
            steps = steps.dropFirst(max(1, subscribers.count))
            if subscribers.count > 1 {
                try await handleRequestsConcurrently(subscribers)
            } else {
                // The commit of delivery results may be delayed to join another commit, unless other events wait for
                // this commit.
                try await handleStep(first, within: steps.isEmpty ? services.configuration.maxSendResultDelay : .zero)
            }
        }
    }

    /// Returns the requests at the beginning of `steps` that ask to join channels which the user serves as a relay.
    /// Returns no requests if `steps` does not begin with two signed requests. The link at which a request has arrived
    /// decides about the channel, since the contents of a request are not trusted.
    private func findSubscriberRequests(_ steps: ArraySlice<AgentStep>) async -> ArraySlice<AgentStep> {
        let signed = steps.prefix { $0.signedRequestLink != nil }
        guard signed.count > 1 else { return [] }
        let links = Set(signed.compactMap(\.signedRequestLink))
        // If the database cannot be read, no event counts as a request to join a served channel. Then each event is
        // handled separately, and a failed event is tried again.
        let served = try? await store.read { db in
            try links.filter { link in
                guard let link = try GroupLinkRecord.find(agent: link, in: db) else { return false }
                return try GroupRecord.find(link.groupId, user: link.userId, in: db)?.isServed == true
            }
        }
        return signed.prefix { step in step.signedRequestLink.map { served?.contains($0) == true } ?? false }
    }

    /// Handles requests to join channels concurrently, so that their transactions share commits.
    private func handleRequestsConcurrently(_ steps: ArraySlice<AgentStep>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, step) in steps.enumerated() {
                if index >= Self.maxConcurrentRequests { try await tasks.next() }
                tasks.addTask { try await self.handleStep(step) }
            }
            try await tasks.waitForAll()
        }
    }

    private static let maxConcurrentRequests = 8

    private static let maxAttempts = 3

    /// Handles the events of a step, and tries again after a failure. A step that cannot be handled is finally set
    /// aside.
    /// - Parameter delay: the time for which the commit may be delayed if no other work waits for it.
    private func handleStep(_ step: AgentStep, within delay: Duration = .zero) async throws {
        var failures = 0
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        var spaceBackoff = Backoff(initial: .milliseconds(200), limit: .seconds(10))
        var full: QuotaExceeded?
        while true {
            do {
                if let full { try await waitForSpace(full, &spaceBackoff) }
                full = nil
                guard step.addsToStore else { return try await processStep(step, within: delay) }
                await store.quota.refreshAgentBytesIfLimited(services.agent)
                return try await handlerCountingReceivedData.processStep(step, within: delay)
            } catch let exceeded as QuotaExceeded {
                guard lifecycle.isOnline, !lifecycle.isSuspending else { throw exceeded }
                // The parts of the step are handled one by one, so the parts that still fit are handled before the
                // store is full.
                if try await handlePartsSeparately(of: step) { return }
                full = exceeded
            } catch let error as DatabaseError where error.isTemporary || error == .closed {
                try await waitBeforeRetry(&backoff, after: error)
            } catch {
                guard lifecycle.isOnline else { throw error }
                // One part may be faulty. So the parts are handled separately, and the other parts are not lost.
                if try await handlePartsSeparately(of: step) { return }
                failures += 1
                // A refusal by the core or the agent is final, so the step is not repeated.
                if error is ChatFailure || error is AgentError || failures == Self.maxAttempts {
                    return try await setAsideStep(step, after: error)
                }
                try await waitBeforeRetry(&backoff, after: error)
            }
        }
    }

    /// Handles the messages or results of a step one by one.
    /// - Returns: false for a step with an event, or with only one message or result.
    private func handlePartsSeparately(of step: AgentStep) async throws -> Bool {
        let parts = step.singleItemSteps
        guard parts.count > 1 else { return false }
        for part in parts { try await handleStep(part) }
        return true
    }

    /// Waits until the store is no longer full. During the wait, no message of the connection is acknowledged, so the
    /// relay keeps the messages. When the queue at the relay is full, the peer keeps further messages.
    private func waitForSpace(_ full: QuotaExceeded, _ backoff: inout Backoff) async throws {
        if store.quota.waiterCount == 0 {
            services.logger.warning(
                "the store is full: messages of peers wait at the relays",
                metadata: ["limit of": "\(full.resource.rawValue)", "limit": "\(full.limit)"]
            )
        }
        let quota = store.quota
        // Waiting for space may last for days and many restarts. It must not count as a failed attempt.
        await services.agent.uncountDeliveryAttempt()
        repeat {
            guard lifecycle.isOnline, !lifecycle.isSuspending else { throw full }
            await quota.waitForSpace(backoff.takeNextDelay())
            // Deletions may also have freed space in the agent's database, so the size of this database is read again.
            await quota.refreshAgentBytesIfLimited(services.agent)
        } while try await store.read { db in try quota.isFull(full.resource, db) }
        guard lifecycle.isOnline, !lifecycle.isSuspending else { throw full }
        quota.wakeSomeWaiters()
    }

    /// A copy of this handler whose store counts received data against the limits.
    private var handlerCountingReceivedData: AgentEventHandler {
        var handler = self
        handler.store.purpose = .receivedData
        return handler
    }

    private func processStep(_ step: AgentStep, within delay: Duration) async throws {
        switch step {
        case .messages(let id, let messages): try await handleMessages(id, messages)
        case .deliveryResults(let id, let news): try await recordDeliveryResults(id, news, within: delay)
        case .event(let event): try await processEvent(event)
        }
    }

    private func waitBeforeRetry(_ backoff: inout Backoff, after error: any Error) async throws {
        services.logger.warning("agent event not handled yet", metadata: ["error": "\(error)"])
        guard lifecycle.isOnline else { throw error }
        try await Task.sleep(for: backoff.takeNextDelay())
    }

    /// Sets aside an event, because the process ended repeatedly while it handled the event.
    func setAsideEvent(_ event: AgentEvent) async throws {
        for step in AgentStep.makeSteps([event]) { try await setAsideStep(step, after: ProcessEndedError()) }
    }

    private struct ProcessEndedError: Error, CustomStringConvertible {
        var description: String { "the process ended each time the event was handled" }
    }

    /// Reports an event that cannot be handled, and completes the event. The messages of the event are stored as
    /// unhandled messages.
    private func setAsideStep(_ step: AgentStep, after error: any Error) async throws {
        services.logger.error("agent event set aside", metadata: ["error": "\(error)"])
        let reported: ChatError =
            switch error {
            case let failure as ChatFailure: failure.error
            case let error as AgentError: .agentError(error.apiError)
            default: .error(errorType: .exception(message: "not handled: \(error)"))
            }
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(60))
        // `kept` stores the messages and emits an error event. If this fails, only the error event is emitted: first
        // for the user of the connection, and then without a user.
        var forms: [SetAsideForm] = [.kept, .reported, .reportedToAll]
        while let form = forms.first {
            do {
                try await store.write { tx in try Self.storeSetAsideStep(step, reported, form, tx) }
                break
            } catch let failure as DatabaseError where failure.isTemporary || failure == .closed || forms.count == 1 {
                try await waitBeforeRetry(&backoff, after: failure)
            } catch {
                forms.removeFirst()
            }
        }
        switch step {
        case .messages(let id, let messages):
            services.agent.acknowledgeMessages(connection: id, messageIDs: messages.map(\.meta.recipientInfo.id))
        // A request that was not shown is rejected, since the user cannot answer it.
        case .event(.request(_, let invitation, _)) where !(error is ChatFailure || error is AgentError):
            try? await services.agent.rejectRequest(invitation)
        default: break
        }
    }

    private enum SetAsideForm { case kept, reported, reportedToAll }

    private static func storeSetAsideStep(
        _ step: AgentStep,
        _ error: ChatError,
        _ form: SetAsideForm,
        _ tx: Transaction
    ) throws {
        guard form != .reportedToAll, let id = step.connection else {
            return try tx.emit(.chatError(chatError: error), user: nil)
        }
        guard let connection = try ConnectionRecord.find(agent: id, in: tx.db) else {
            return try tx.emit(.chatError(chatError: error), user: DeletedConnections.findUserId(of: id, in: tx.db))
        }
        if form == .kept, case .messages(_, let messages) = step {
            let new = messages.filter { $0.meta.recipientInfo.id > connection.lastReceivedMessageId }
            // If no message is new, all messages were handled before, but the agent has not recorded this.
            guard let last = new.last else { return }
            try tx.db.execute(
                "UPDATE connections SET last_rcv_msg_id = :last_rcv_msg_id WHERE connection_id = :connection_id",
                ["last_rcv_msg_id": last.meta.recipientInfo.id, "connection_id": connection.connectionId]
            )
            for message in new {
                try UnhandledMessages.store(message.body, event: "", connection, tx)
            }
        }
        try tx.emit(.chatError(chatError: error), user: connection.userId)
    }
}
