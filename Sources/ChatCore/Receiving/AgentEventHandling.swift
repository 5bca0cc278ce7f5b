internal import Agent
internal import ChatAPI
internal import SQLCipher

/// How often an event is tried, and what becomes of one that cannot be handled: it must stop neither its connection nor a start.
extension ChatController {
    /// The agent takes events for told when this returns.
    /// - Throws: when the core stops meanwhile, or its databases are closed: the agent tells the events again after the next start.
    func handle(_ events: [AgentEvent]) async throws {
        for step in AgentStep.steps(events) { try await handle(step) }
    }

    private static let attemptLimit = 3

    private func handle(_ step: AgentStep) async throws {
        var failures = 0
        var pause = GrowingPause(upTo: .seconds(1))
        while true {
            do { return try await carryOut(step) } catch let error as DatabaseError where error.isTemporary || error == .closed {
                try await wait(&pause, after: error)
            } catch {
                guard isOnline else { throw error }
                let parts = step.parts
                // One of them is wrong, and the others are not to share its fate.
                if parts.count > 1 {
                    for part in parts { try await handle(part) }
                    return
                }
                failures += 1
                // A refusal by the core or the agent stays one.
                if error is ChatFailure || error is AgentError || failures == Self.attemptLimit { return try await setAside(step, after: error) }
                try await wait(&pause, after: error)
            }
        }
    }

    private var isOnline: Bool { running.withLock { $0.isRunning || $0.isStarting } }

    private func carryOut(_ step: AgentStep) async throws {
        switch step {
        case .messages(let id, let messages): try await received(id, messages)
        case .sent(let id, let messages): try await sent(id, messages)
        case .event(let event): try await process(event)
        }
    }

    private func wait(_ pause: inout GrowingPause, after error: any Error) async throws {
        logger.warning("agent event not handled yet", metadata: ["error": "\(error)"])
        guard isOnline else { throw error }
        try await Task.sleep(for: pause.next())
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
        var pause = GrowingPause(upTo: .seconds(60))
        // What cannot be read or kept is reported all the same.
        var forms: [SetAside] = [.kept, .reported, .reportedToAll]
        while let form = forms.first {
            do {
                try await store.write { tx in try Self.setAside(step, reported, form, tx) }
                break
            } catch let failure as DatabaseError where failure.isTemporary || failure == .closed || forms.count == 1 {
                try await wait(&pause, after: failure)
            } catch {
                forms.removeFirst()
            }
        }
        switch step {
        case .messages(let id, let messages): agent.acknowledge(connection: id, messageIDs: messages.map(\.meta.recipient.id))
        // Whom nothing was shown of nobody can answer.
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
            for message in new { try KeptMessages.keep(message.body, event: "", sharedID: nil, message.meta.recipient.id, connection, tx) }
        }
        try tx.emit(.chatError(chatError: error), user: connection.userId)
    }
}
