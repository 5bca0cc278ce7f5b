import Clocks
import SQLCipher

extension Agent {
    /// Accepts messages for delivery, and returns one result for each message. On return the messages are stored and
    /// numbered. The agent sends the messages of a connection in the given order, also after a crash.
    ///
    /// A message with the `externalID` of an earlier accepted message is not sent again, and its result is the number
    /// of the earlier message. The agent forgets the id when the handler has received the outcome of the earlier
    /// message.
    package func sendMessages(_ messages: [OutgoingMessage]) async throws -> [Result<AgentMessageID, AgentError>] {
        try await acceptMessages(messages).map { $0.map(\.messageID) }
    }

    /// Accepts messages as ``sendMessages(_:)`` does, and also returns how each message is encrypted.
    package func acceptMessages(_ messages: [OutgoingMessage]) async throws -> [Result<AcceptedMessage, AgentError>] {
        let run = try requireOnline()
        let now = WallClock.seconds()
        let outcomes = try await database.write { db in try messages.map { try Self.acceptMessage($0, at: now, db) } }
        for (message, outcome) in zip(messages, outcomes) {
            switch outcome {
            case .accepted: run.outbox.wakeWorker(message.connection)
            case .alreadyAccepted, .refused: break
            }
        }
        return outcomes.map(\.result)
    }

    /// Returns the external ids of accepted messages whose outcome the handler has not confirmed yet. An online agent
    /// sends and removes messages at any time, so call this function before ``start(settled:handler:)`` or after
    /// ``stop()`` has returned.
    /// - Throws: `prohibited` while the agent is online; `DatabaseError`.
    package func fetchUnconfirmedExternalIDs() async throws -> Set<String> {
        guard state.withLock({ $0.run == nil }) else { throw AgentError.command(.prohibited, context: "outstanding") }
        return try await database.read { db in
            try Set(
                db.query("SELECT external_id FROM snd_messages WHERE external_id IS NOT NULL").map {
                    try $0.string("external_id")
                }
            )
        }
    }

    private enum Acceptance: Sendable {
        case accepted(AcceptedMessage)
        /// An earlier call has accepted the message.
        case alreadyAccepted(AgentMessageID)
        case refused(AgentError)

        var result: Result<AcceptedMessage, AgentError> {
            switch self {
            case .accepted(let message): .success(message)
            case .alreadyAccepted(let id): .success(AcceptedMessage(messageID: id, pqEncryption: nil))
            case .refused(let error): .failure(error)
            }
        }
    }

    private static func acceptMessage(
        _ message: OutgoingMessage,
        at now: Int64,
        _ db: DatabaseConnection
    ) throws -> Acceptance {
        if let row = try db.firstRow("SELECT internal_id FROM snd_messages WHERE external_id = ?", message.externalID) {
            return .alreadyAccepted(try row.int64("internal_id"))
        }
        guard var connection = try AgentConnection.find(message.connection, db) else {
            return .refused(.connection(.notFound, context: ""))
        }
        guard try SndQueue.findCurrent(message.connection, db) != nil, !connection.isDeletedAfterSending else {
            return .refused(.connection(.simplex, context: ""))
        }
        guard !connection.ratchetSync.prohibitsSending else {
            return .refused(.command(.prohibited, context: "sendMessagesB: send prohibited"))
        }
        do {
            let id = try connection.enqueue(
                .message(message.body),
                kind: .message,
                notify: message.shouldNotify,
                externalID: message.externalID,
                pqEncryption: message.pqEncryption,
                awaitsReceipt: message.awaitsReceipt,
                at: min(now, message.waitingSinceSeconds ?? now),
                db
            )
            return .accepted(AcceptedMessage(messageID: id, pqEncryption: connection.ratchet?.postQuantum.isSending))
        } catch let error as AgentError {
            return .refused(error)
        } catch let error as RatchetError {
            return .refused(.agent(.crypto(AgentCryptoFailure(error))))
        }
    }

    /// Confirms that the caller has stored received messages. The agent deletes these messages later, in groups. So
    /// after a crash the agent may deliver the messages once more.
    /// - Parameter receipts: the messages for which the agent sends a receipt.
    package func acknowledgeMessages(
        connection: ConnectionID,
        messageIDs: [AgentMessageID],
        receipts: Set<AgentMessageID> = []
    ) {
        guard let run = try? requireOnline() else { return }
        run.deletions.addElement(
            receipts.isEmpty ? .events : .receipts,
            .messages(AcknowledgedMessages(connection: connection, messageIDs: messageIDs, receipts: receipts))
        )
        for acknowledgement in run.receiveWindow.recordHandledMessages(connection, messageIDs.count) {
            acknowledgeToRelay(acknowledgement)
        }
    }
}

/// Result for a message that the agent has accepted.
package struct AcceptedMessage: Hashable, Sendable {
    package var messageID: AgentMessageID
    /// Whether the ratchet chain that encrypts the message was derived with a KEM secret (post-quantum encryption); nil
    /// if an earlier call has accepted the message.
    package var pqEncryption: Bool?
}
