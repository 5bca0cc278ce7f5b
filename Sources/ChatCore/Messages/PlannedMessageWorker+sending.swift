internal import ChatAPI
internal import ChatStore
internal import Files
internal import SQLCipher

/// Sending of scheduled messages and broadcasts to their receivers.
extension PlannedMessageWorker {
    /// The pause after a message that cannot be sent now, in seconds.
    private static let retryPauseSeconds: Int64 = 60
    /// The maximum number of receivers whose results one transaction stores.
    private static let resultsPerTransaction = 100

    /// The error for a receiver whose chat refuses the messages after the transaction has written some of them. The
    /// error rolls back the transaction.
    private struct RefusedReceiver: Error {
        let receiverNumber: Int64
        let failure: ChatFailure
    }

    func sendMessage(_ id: Int64, at now: Timestamp) async throws {
        let paths = folders.paths
        do {
            try await store.write(for: .command(.items)) { tx in
                for _ in 0..<Self.resultsPerTransaction {
                    guard try self.sendToNextReceiver(of: id, at: now, paths, tx) else { return }
                }
            }
        } catch let refused as RefusedReceiver {
            try await store.write { tx in
                try Self.recordFailure(refused.failure, ofReceiver: refused.receiverNumber, of: id, at: now, tx)
            }
        } catch {
            if !store.quota.countIfExceeded(error) {
                guard !Task.isCancelled, (error as? any StorageError)?.isStorageFull != true else { throw error }
                // A message that cannot be read must not stop the messages after it.
                logger.error(
                    "a message that is sent later was postponed",
                    metadata: ["id": "\(id)", "error": "\(error.descriptionWithoutPath)"]
                )
            }
            try await store.write { try Self.postponeMessage(id, at: now, $0) }
        }
    }

    /// Sends the messages to the next receiver, or stores the failure.
    /// - Returns: true if the receiver has failed. In this case nothing was sent, so the next receiver can follow at
    ///   once.
    private func sendToNextReceiver(
        of id: Int64,
        at now: Timestamp,
        _ paths: LocalFolders.Paths,
        _ tx: Transaction
    ) throws -> Bool {
        guard let next = try NextReceiver.find(of: id, at: now, tx.db) else {
            try tx.db.execute(
                "UPDATE planned_messages SET next_at = NULL WHERE planned_id = :planned_id AND next_at <= :next_at",
                ["planned_id": id, "next_at": now.nanoseconds]
            )
            return false
        }
        let receiver = next.receiver
        let chat: any Conversation
        let content: PlannedContent
        do {
            content = try next.readContent()
            switch try findReadiness(of: next, content, tx.db) {
            case .ready(let found): chat = found
            case .notConnected:
                try tx.db.execute("UPDATE planned_messages SET next_at = NULL WHERE planned_id = ?", [id])
                return false
            case .rightsUnknown:
                try Self.postponeMessage(id, at: now, tx)
                return false
            }
        } catch let failure as ChatFailure {
            try Self.recordFailure(failure, ofReceiver: receiver.receiverNumber, of: id, at: now, tx)
            return true
        }
        try PlannedFiles.prepareFiles(forReceiver: receiver.receiverNumber, of: id, tx)
        let items = try Self.sendItems(content, in: chat, to: next, paths, tx)
        // No command answers a client with these items, so an event reports the items.
        try tx.emit(.newChatItems(user: next.user.api, chatItems: items), user: next.user.userId)
        let rate = max(1, try next.row.int64("send_rate"))
        let interval = Int64(content.messages.count) * 1_000_000_000 / rate
        try tx.db.update("planned_messages", set: ["next_at": now.nanoseconds + interval], where: ["planned_id": id])
        if receiver.chat.chatType == .contactConnection {
            try PlannedMessages.setChat(chat.chatKey, ofReceiver: receiver.receiverNumber, of: id, tx)
        }
        try PlannedMessages.recordResult(
            .sent,
            items: items.map(\.chatItem.meta.itemId),
            receiver: receiver.receiverNumber,
            of: id,
            at: now,
            tx
        )
        return false
    }

    /// Returns the chat of a receiver if the messages can be sent to it now; otherwise the reason to wait.
    /// - Throws: a `ChatFailure` if the messages can never be sent to the receiver.
    private func findReadiness(
        of next: NextReceiver,
        _ content: PlannedContent,
        _ db: StoreConnection
    ) throws -> Readiness {
        switch lookUpRights(ofKey: try next.row.string("key_id")) {
        case .unknown: return .rightsUnknown
        case .ended: throw ChatFailure(ChatErrorType.accessDenied(reason: "the key of the request has ended"))
        case .valid(let rights):
            guard case .ready(let chat) = try PlannedChat.find(next.receiver.chat, for: next.kind, next.user, db)
            else { return .notConnected }
            try PlannedMessages.checkRights(next.receiver.chat, content, of: next.user, rights)
            return .ready(chat)
        }
    }

    /// Sends the messages to a receiver, and returns their items.
    /// - Throws: ``RefusedReceiver`` if the chat refuses the messages.
    private static func sendItems(
        _ content: PlannedContent,
        in chat: any Conversation,
        to next: NextReceiver,
        _ paths: LocalFolders.Paths,
        _ tx: Transaction
    ) throws -> [AChatItem] {
        let response: ChatResponse
        do {
            response = try RunningCommand.sendItems(
                content.messages.map { try OutgoingItem($0, paths) },
                in: chat,
                live: false,
                ttl: content.ttl,
                asGroup: content.sendAsGroup,
                signed: content.sign,
                next.user,
                tx
            )
        } catch let failure as ChatFailure {
            throw RefusedReceiver(receiverNumber: next.receiver.receiverNumber, failure: failure)
        }
        guard case .newChatItems(_, let items) = response else {
            throw RefusedReceiver(receiverNumber: next.receiver.receiverNumber, failure: .commandError("no items"))
        }
        return items
    }

    private static func recordFailure(
        _ failure: ChatFailure,
        ofReceiver number: Int64,
        of id: Int64,
        at now: Timestamp,
        _ tx: Transaction
    ) throws {
        try PlannedMessages.recordResult(.failed, problem: failure.error, receiver: number, of: id, at: now, tx)
    }

    private static func postponeMessage(_ id: Int64, at now: Timestamp, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE planned_messages SET next_at = :next_at WHERE planned_id = :planned_id AND finished_at IS NULL",
            ["next_at": now.adding(seconds: retryPauseSeconds).nanoseconds, "planned_id": id]
        )
    }
}

/// Whether messages can be sent to a receiver now.
private enum Readiness {
    case ready(any Conversation)
    /// The chat is not connected yet.
    case notConnected
    /// The rights of the API key are not known yet.
    case rightsUnknown
}

/// The next waiting receiver of a scheduled message or broadcast that is due.
private struct NextReceiver {
    let receiver: PlannedReceiver
    let kind: PlannedMessage.Kind
    /// The user who sends the message.
    let user: UserRecord
    /// The database row of the receiver, with columns of the message that it gets.
    let row: Row

    static func find(of id: Int64, at now: Timestamp, _ db: StoreConnection) throws -> NextReceiver? {
        let row = try db.firstRow(
            """
            SELECT r.*, m.user_id AS owner, m.key_id, m.content, m.broadcasts, m.send_rate FROM planned_messages m
            JOIN planned_receivers r ON r.planned_id = m.planned_id
            WHERE m.planned_id = :planned_id AND m.next_at <= :next_at AND r.state = 'waiting'
            ORDER BY r.receiver_no LIMIT 1
            """,
            ["planned_id": id, "next_at": now.nanoseconds]
        )
        guard let row, let user = try UserRecord.find(row.int64("owner"), in: db) else { return nil }
        return NextReceiver(
            receiver: try PlannedReceiver(row),
            kind: try row.bool("broadcasts") ? .broadcast : .scheduled,
            user: user,
            row: row
        )
    }

    /// Returns the stored messages.
    /// - Throws: a `ChatFailure` if the stored messages cannot be read.
    func readContent() throws -> PlannedContent {
        guard let content = try? StoredJSON.decode(PlannedContent.self, row.string("content")) else {
            throw ChatFailure(StoreError.internalError(message: "the messages cannot be read"))
        }
        return content
    }
}
