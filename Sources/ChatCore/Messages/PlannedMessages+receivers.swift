internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Functions that store the result of sending a message to each receiver, and that update receivers whose chat was
/// deleted or replaced.
extension PlannedMessages {
    // MARK: Results

    /// Stores the result of a receiver, and finishes the message after its last result.
    static func recordResult(
        _ state: PlannedReceiver.State,
        items: [Int64] = [],
        problem: ChatError? = nil,
        receiver number: Int64,
        of id: Int64,
        at now: Timestamp,
        _ tx: Transaction
    ) throws {
        try tx.db.execute(
            """
            UPDATE planned_receivers SET state = :state, item_ids = :item_ids, problem = :problem, done_at = :done_at
            WHERE planned_id = :planned_id AND receiver_no = :receiver_no AND state = 'waiting'
            """,
            [
                "state": state.rawValue, "item_ids": try StoredJSON.encode(items),
                "problem": try problem.map(PlannedProblem.encode), "done_at": now.nanoseconds, "planned_id": id,
                "receiver_no": number,
            ]
        )
        guard tx.db.changeCount > 0 else { return }
        try addToCount(1, state, of: id, tx)
        try finishIfDone(id, at: now, tx)
    }

    /// Updates the stored counts of receivers: moves `number` receivers from the waiting receivers to the given state.
    private static func addToCount(
        _ number: Int,
        _ state: PlannedReceiver.State,
        of id: Int64,
        _ tx: Transaction
    ) throws {
        let (waiting, most) = (PlannedReceiver.State.waiting.countColumn, PlannedLimits.maxReceivers)
        try tx.db.execute(
            """
            UPDATE planned_messages SET \(waiting) = max(\(waiting) - \(number), 0),
            \(state.countColumn) = min(\(state.countColumn), \(most)) + \(number) WHERE planned_id = ?
            """,
            [id]
        )
    }

    /// Cancels a scheduled message or a broadcast for all receivers that still wait.
    static func cancel(_ id: Int64, at now: Timestamp, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            UPDATE planned_receivers SET state = 'cancelled', done_at = :done_at
            WHERE planned_id = :planned_id AND state = 'waiting'
            """,
            ["done_at": now.nanoseconds, "planned_id": id]
        )
        try addToCount(tx.db.changeCount, .cancelled, of: id, tx)
        try finishIfDone(id, at: now, tx)
    }

    /// Finishes a message if no receiver waits any more: deletes its content, and stores the time.
    private static func finishIfDone(_ id: Int64, at now: Timestamp, _ tx: Transaction) throws {
        let waiting = try tx.db.queryFirst(
            "SELECT 1 FROM planned_receivers WHERE planned_id = ? AND state = 'waiting' LIMIT 1",
            [id]
        )
        guard waiting == nil else { return }
        // The message no longer needs its files, so the worker for files must run.
        tx.followUpWork.insert(.files)
        try tx.db.execute(
            """
            UPDATE planned_messages SET content = NULL, next_at = NULL, finished_at = :finished_at
            WHERE planned_id = :planned_id AND finished_at IS NULL
            """,
            ["finished_at": now.nanoseconds, "planned_id": id]
        )
    }

    /// Cancels all waiting messages of a store. This is for a copy of a store, which must not send the messages a
    /// second time.
    static func cancelAll(_ db: StoreConnection) throws {
        let now = Timestamp.now.nanoseconds
        try db.execute(
            "UPDATE planned_receivers SET state = 'cancelled', done_at = ? WHERE state = 'waiting'",
            [now]
        )
        // The stored numbers of receivers are counted again, because these numbers can be wrong or absent in an
        // archive.
        let numbers = PlannedReceiver.State.allCases.map { state in
            """
            \(state.countColumn) = (SELECT count(*) FROM planned_receivers r
            WHERE r.planned_id = planned_messages.planned_id AND r.state = '\(state.rawValue)')
            """
        }
        try db.execute(
            """
            UPDATE planned_messages SET content = NULL, next_at = NULL, finished_at = coalesce(finished_at, ?),
            \(numbers.joined(separator: ", "))
            """,
            [now]
        )
    }

    /// Deletes the oldest finished message whose results were kept for ``PlannedLimits/resultLifetimeSeconds``.
    /// - Returns: whether a message was deleted.
    static func deleteOldestResults(at now: Timestamp, _ tx: Transaction) throws -> Bool {
        let found = try tx.db.queryFirst(
            "SELECT planned_id FROM planned_messages WHERE finished_at < ? ORDER BY finished_at LIMIT 1",
            [now.adding(seconds: -PlannedLimits.resultLifetimeSeconds).nanoseconds]
        )
        guard let id = try found?.int64("planned_id") else { return false }
        try tx.db.execute("DELETE FROM planned_messages WHERE planned_id = ?", [id])
        return true
    }

    /// Deletes the oldest finished messages of a kind beyond the maximum number of kept results.
    static func deleteSurplusResults(_ kind: PlannedMessage.Kind, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            DELETE FROM planned_messages WHERE planned_id IN (SELECT planned_id FROM planned_messages
            WHERE broadcasts = :broadcasts AND finished_at IS NOT NULL ORDER BY planned_id DESC LIMIT -1 OFFSET :offset)
            """,
            ["broadcasts": kind == .broadcast, "offset": PlannedLimits.maxKeptResults(kind)]
        )
    }

    // MARK: Chats

    /// Records a failure for a deleted chat in the scheduled messages and broadcasts that wait for this chat. When no
    /// receiver of a message waits any more, the texts of the message are deleted.
    static func refuseForDeletedChat(_ chat: some Conversation, _ tx: Transaction) throws {
        let error: StoreError =
            switch chat.chatKey {
            case .contact(let id): .contactNotFound(contactId: id)
            default: .groupNotFound(groupId: chat.chatKey.chatId)
            }
        for (id, number) in try findWaitingReceivers(for: chat, tx.db) {
            try recordResult(.failed, problem: .errorStore(storeError: error), receiver: number, of: id, at: tx.now, tx)
        }
    }

    /// Makes scheduled messages and broadcasts that wait for an old chat go to the new chat that replaces the old chat.
    /// If the new chat belongs to another user, only the receiver with the old chat fails.
    static func moveReceivers(
        from chat: some Conversation,
        to key: ChatKey,
        user userId: Int64,
        _ tx: Transaction
    ) throws {
        guard userId == chat.userId else { return try refuseForDeletedChat(chat, tx) }
        for (id, number) in try findWaitingReceivers(for: chat, tx.db) {
            try setChat(key, ofReceiver: number, of: id, tx)
        }
    }

    /// Replaces the chat or the pending connection of a receiver with another chat.
    static func setChat(_ key: ChatKey, ofReceiver number: Int64, of id: Int64, _ tx: Transaction) throws {
        try tx.db.update(
            "planned_receivers",
            set: ["chat_type": key.kind.rawValue, "chat_id": key.chatId, "connection_id": nil],
            where: ["planned_id": id, "receiver_no": number]
        )
    }

    private static func findWaitingReceivers(
        for chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [(Int64, Int64)] {
        try db.query(
            """
            SELECT planned_id, receiver_no FROM planned_receivers
            WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND connection_id IS NULL AND state = 'waiting'
            """,
            chat.keyArguments
        ).map { (try $0.int64("planned_id"), try $0.int64("receiver_no")) }
    }
}
