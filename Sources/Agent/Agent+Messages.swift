import SQLCipher

extension Agent {
    /// Takes messages over for delivery. When this returns they are stored, numbered and will be sent in this order of each connection,
    /// through any crash; one result for each. A message whose `externalID` was taken over before keeps its number and is not sent again.
    public func send(_ messages: [OutgoingMessage]) async throws -> [Result<AgentMessageID, AgentError>] {
        let run = try online()
        let now = currentSeconds()
        let outcomes = try await database.write { db in try messages.map { try Self.accept($0, at: now, db) } }
        for (message, outcome) in zip(messages, outcomes) {
            switch outcome {
            case .accepted: run.outbox.wake(message.connection)
            case .sentBefore(let id): tell(.sent(message.connection, id), in: .sent(message.connection))
            case .waiting, .refused: break
            }
        }
        return outcomes.map(\.result)
    }

    private enum Acceptance: Sendable {
        case accepted(AgentMessageID)
        /// Taken over before, and still in the outbox.
        case waiting(AgentMessageID)
        case sentBefore(AgentMessageID)
        case refused(AgentError)

        var result: Result<AgentMessageID, AgentError> {
            switch self {
            case .accepted(let id), .waiting(let id), .sentBefore(let id): .success(id)
            case .refused(let error): .failure(error)
            }
        }
    }

    private static func accept(_ message: OutgoingMessage, at now: Int64, _ db: Connection) throws -> Acceptance {
        if let row = try db.first("SELECT internal_id FROM accepted_messages WHERE external_id = ?", message.externalID) {
            let id = try row.int64("internal_id")
            let waits = try db.first(
                "SELECT 1 AS waits FROM snd_messages WHERE conn_id = ? AND internal_id = ?", message.connection.bytes, id) != nil
            return waits ? .waiting(id) : .sentBefore(id)
        }
        guard var connection = try ConnectionRecord.find(message.connection, db) else {
            return .refused(.connection(.notFound, context: ""))
        }
        guard try SndQueue.of(message.connection, db) != nil, !connection.deletesWhenSent else {
            return .refused(.connection(.simplex, context: ""))
        }
        do {
            let id = try connection.enqueue(.message(message.body), kind: .message, notify: message.notify, at: now, db)
            try db.execute(
                "INSERT INTO accepted_messages (external_id, conn_id, internal_id, accepted_at) VALUES (?, ?, ?, ?)",
                message.externalID, message.connection.bytes, id, now)
            return .accepted(id)
        } catch let error as AgentError {
            return .refused(error)
        } catch let error as RatchetError {
            return .refused(.agent(.crypto(AgentCryptoFailure(error))))
        }
    }

    /// Says that a received message is safe with the caller: the agent forgets it and lets the relay forget it. Repeated it does nothing.
    public func acknowledge(connection: ConnectionID, messageID: AgentMessageID) async throws {
        let removed = try await database.write { db in
            try StoredMessage.remove(connection, messageID, db).map { removed in
                (removed.server, removed.rcvID, removed.brokerID, try ConnectionRecord.get(connection, db).userID)
            }
        }
        guard let (server, rcvID, brokerID, user) = removed, let run = try? online() else { return }
        let key = RelayClients.Key(user: user, server: try storedServer(server))
        // Not awaited: whoever acknowledges is done with the message, and the next one comes by itself.
        run.tasks.add { await self.acknowledge(key, rcvID, brokerID) }
    }
}
