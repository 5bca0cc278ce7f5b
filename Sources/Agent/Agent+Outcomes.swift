import SMP
import SQLCipher
import SimpleXCrypto

/// Handles the results of messages in the outbox.
extension Agent {
    /// Handles the result of a message in the outbox.
    func handleOutboxOutcome(_ outcome: OutboxOutcome, on connection: ConnectionID) {
        guard let run = try? requireOnline() else { return }
        if let id = outcome.settledMessage?.externalID { run.onSettled(id) }
        switch outcome {
        case .sent(let message, let isProxied) where message.kind == .message:
            let event = AgentEvent.sent(
                connection,
                message.id,
                externalID: message.externalID ?? "",
                isProxied: isProxied
            )
            emit(Emission(event, reportedMessage: message.id), in: .sentMessages(connection))
        case .failed(let message, let error) where message.kind == .message:
            let event = AgentEvent.messageError(connection, message.id, externalID: message.externalID ?? "", error)
            emit(Emission(event, reportedMessage: message.id), in: .sentMessages(connection))
        case .delayed(let message, let error):
            emit(
                .messageWarning(connection, message.id, externalID: message.externalID ?? "", error),
                in: .sentMessages(connection)
            )
        case .unreadable(let error): emit(.error(connection, error), in: .connection(connection))
        case .failed(let message, let error):
            emit(
                Emission(.error(connection, message.kind.makeUserError(error)), reportedMessage: message.id),
                in: .connection(connection)
            )
        case .sent(let message, _) where message.kind == .receipts:
            run.deletions.addElement(.events, .sentMessage(connection, message.id))
        case .sent(let message, _):
            run.jobs.addElement(.connection(connection)) { [weak self] in
                await self?.advanceConnection(after: message.kind, message.id, on: connection)
            }
        }
    }

    /// Continues the connection procedure or a rotation after one of its messages has reached the relay. Deletes a
    /// connection that is marked for deletion, if this was its last message.
    private func advanceConnection(
        after kind: OutboxMessage.Kind,
        _ id: AgentMessageID,
        on connection: ConnectionID
    ) async {
        do {
            let (event, isLast) = try await storeWithRetry { db -> (PendingEvent?, Bool) in
                try Self.removeSentMessage(id, on: connection, db)
                return (
                    try Self.advanceState(after: kind, on: connection, db), try Self.isToBeDeletedNow(connection, db)
                )
            }
            if let event { emit(event) }
            if isLast { try await delete(connections: [connection], waitDelivery: false) }
        } catch { logger.error("state of a connection not updated after sending", metadata: ["error": "\(error)"]) }
    }

    /// Changes the state of a connection after one of its messages has reached the relay.
    private static func advanceState(
        after kind: OutboxMessage.Kind,
        on connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws -> PendingEvent? {
        guard let sndQueue = try SndQueue.findCurrent(connection, db) else { return nil }
        switch kind {
        case .connInfo:
            try sndQueue.setStatus(sndQueue.isSecuredBySender ? .active : .confirmed, db)
            return sndQueue.isSecuredBySender ? try .add(.connected, connection, db) : nil
        case .connInfoReply:
            try sndQueue.setStatus(.confirmed, db)
            return nil
        case .hello:
            try sndQueue.setStatus(.active, db)
            return try RcvQueue.findCurrent(connection, db)?.status == .active ? .add(.connected, connection, db) : nil
        case .queueKey: return try .addSwitchEvent(.snd, .confirmed, connection, db)
        case .queueTest:
            guard sndQueue.switchStatus == .sendingQTEST,
                let replacement = try SndQueue.findReplacement(of: connection, db)
            else { return nil }
            try replacement.promote(over: sndQueue, db)
            return try .addSwitchEvent(.snd, .completed, connection, db)
        case .message, .queueContinue, .receipts, .ratchetKey, .ratchetReady, .queueAdd, .queueUse: return nil
        }
    }
}

extension OutboxMessage.Kind {
    /// Converts the error with which a relay has refused a message of this kind into the error that is reported to the
    /// user.
    func makeUserError(_ error: AgentError) -> AgentError {
        switch self {
        case .message, .queueContinue, .receipts, .ratchetReady: error
        case .connInfo, .connInfoReply, .hello, .ratchetKey: .connection(.notAvailable, context: "")
        case .queueAdd: error.asRotationError("QADD")
        case .queueKey: error.asRotationError("QKEY")
        case .queueUse: error.asRotationError("QUSE")
        case .queueTest: error.asRotationError("QTEST")
        }
    }
}

extension AgentError {
    fileprivate func asRotationError(_ message: String) -> AgentError {
        if case .smp(_, .auth) = self { .agent(.queue("\(message): AUTH")) } else { self }
    }
}
