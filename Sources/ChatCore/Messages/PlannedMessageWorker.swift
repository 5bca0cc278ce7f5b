internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Logging
internal import SQLCipher
import Synchronization

/// Sends scheduled messages and broadcasts, and deletes their old results.
///
/// The transaction that writes the items of a chat also writes the result of the receiver. So a receiver gets the
/// messages exactly once, even if the process ends at any moment.
final class PlannedMessageWorker: Worker {
    let followUp = FollowUp.plannedMessages
    private let store: ChatStore
    private let folders: LocalFolders
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    let signal = WakeSignal()
    private let rights = Mutex(RightsState())

    private struct RightsState {
        var lookUp: (@Sendable (String) -> PlannedRights)?
        /// Whether a round has ended early, because the function was not set.
        var isAwaited = false
    }

    /// The maximum time between two rounds while messages wait, since the system clock may be changed.
    private static let maxRoundPause = Duration.seconds(60)
    /// The maximum time between two rounds while only results are kept.
    private static let maxResultRoundPause = Duration.seconds(3600)
    /// The pause after a message that cannot be sent now, in seconds.
    private static let retryPauseSeconds: Int64 = 60
    /// The maximum number of results in a transaction.
    private static let resultsPerTransaction = 100

    init(store: ChatStore, folders: LocalFolders, clock: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.store = store
        self.folders = folders
        self.clock = clock
        self.logger = logger
    }

    /// Sets the function that returns the rights of an API key. Nothing is sent before.
    func setRightsLookup(_ lookUp: @escaping @Sendable (String) -> PlannedRights) {
        let isAwaited = rights.withLock { state in
            defer { state = RightsState(lookUp: lookUp) }
            return state.isAwaited
        }
        if isAwaited { wake() }
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try db.hasRow("SELECT 1 FROM planned_messages") ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, after: start.pause, whenFailed: "scheduled messages and broadcasts not sent") {
            try await runRound()
        }
    }

    /// Deletes old results, and sends the messages that are due.
    /// - Returns: the time until the next round; nil if nothing waits and no results are kept.
    func runRound() async throws -> Duration? {
        // A broadcast can have many results, so each broadcast is deleted in a separate transaction.
        while !Task.isCancelled, try await deleteOldestResults() {}
        let mayLookUp = rights.withLock { state in
            state.isAwaited = state.lookUp == nil
            return !state.isAwaited
        }
        guard mayLookUp else { return nil }
        let ready = try await store.read { try Self.findReadyMessageIds($0) }
        if !ready.isEmpty {
            let now = clock()
            try await store.write { tx in
                for id in ready {
                    try tx.db.execute(
                        "UPDATE planned_messages SET next_at = max(coalesce(send_at, 0), ?) WHERE planned_id = ? AND finished_at IS NULL AND next_at IS NULL",
                        [now.nanoseconds, id]
                    )
                }
            }
        }
        while !Task.isCancelled {
            let now = clock()
            guard let id = try await store.read({ try Self.findDueMessageId(at: now, $0) }) else { break }
            try await sendMessage(id, at: now)
        }
        let now = clock()
        return try await store.read { db in
            let row = try db.firstRow(
                "SELECT count(*) AS n, min(next_at) AS next FROM planned_messages WHERE finished_at IS NULL"
            )
            let waiting: Int = try row?.count("n") ?? 0
            guard let row, waiting > 0 else {
                return try db.hasRow("SELECT 1 FROM planned_messages") ? Self.maxResultRoundPause : nil
            }
            guard let next = try row.int64OrNil("next") else { return Self.maxRoundPause }
            return min(Self.maxRoundPause, max(.zero, Timestamp(nanoseconds: next).duration(since: now)))
        }
    }

    private func deleteOldestResults() async throws -> Bool {
        let limit = clock().adding(seconds: -PlannedLimits.resultLifetimeSeconds).nanoseconds
        // A read comes first, because most rounds find nothing, and then need no write transaction.
        let isFound = try await store.read { db in
            try db.hasRow("SELECT 1 FROM planned_messages WHERE finished_at < ?", limit)
        }
        guard isFound else { return false }
        let now = clock()
        return try await store.write { try PlannedMessages.deleteOldestResults(at: now, $0) }
    }

    private static func findDueMessageId(at now: Timestamp, _ db: StoreConnection) throws -> Int64? {
        try db.queryFirst(
            "SELECT planned_id FROM planned_messages WHERE next_at <= ? ORDER BY next_at, planned_id LIMIT 1",
            [now.nanoseconds]
        )?.int64("planned_id")
    }

    /// Finds the scheduled messages that waited for a connection which is now ready.
    private static func findReadyMessageIds(_ db: StoreConnection) throws -> [Int64] {
        let rows = try db.query(
            """
            SELECT r.*, m.user_id AS owner FROM planned_messages m JOIN planned_receivers r ON r.planned_id = m.planned_id
            WHERE m.finished_at IS NULL AND m.next_at IS NULL AND m.broadcasts = 0 AND r.state = 'waiting'
            """
        )
        return try rows.compactMap { row in
            guard let user = try UserRecord.find(row.int64("owner"), in: db) else { return nil }
            do {
                if case .notConnected = try PlannedChat.find(PlannedReceiver(row).chat, for: .scheduled, user, db) {
                    return nil
                }
            } catch {
                // The error must not stop the other messages. The attempt to send this message will meet the same
                // error, and handle it.
            }
            return try row.int64("planned_id")
        }
    }

    // MARK: Sending

    /// A chat that refuses the messages after the transaction has written some of them.
    private struct RefusedReceiver: Error {
        let receiverNumber: Int64
        let failure: ChatFailure
    }

    private func sendMessage(_ id: Int64, at now: Timestamp) async throws {
        let paths = folders.paths
        do {
            try await store.write(for: .command(.items)) { tx in
                for _ in 0..<Self.resultsPerTransaction {
                    guard try self.sendToNextReceiver(of: id, at: now, paths, tx) else { return }
                }
            }
        } catch let refused as RefusedReceiver {
            try await store.write { tx in
                try PlannedMessages.recordResult(
                    .failed,
                    problem: refused.failure.error,
                    receiver: refused.receiverNumber,
                    of: id,
                    at: now,
                    tx
                )
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

    /// Handles the next receiver.
    /// - Returns: whether the next receiver can follow at once, since no message was sent.
    private func sendToNextReceiver(
        of id: Int64,
        at now: Timestamp,
        _ paths: LocalFolders.Paths,
        _ tx: Transaction
    ) throws -> Bool {
        let row = try tx.db.queryFirst(
            """
            SELECT r.*, m.user_id AS owner, m.key_id, m.content, m.broadcasts, m.send_rate FROM planned_messages m
            JOIN planned_receivers r ON r.planned_id = m.planned_id
            WHERE m.planned_id = ? AND m.next_at <= ? AND r.state = 'waiting' ORDER BY r.receiver_no LIMIT 1
            """,
            [id, now.nanoseconds]
        )
        guard let row, let user = try UserRecord.find(row.int64("owner"), in: tx.db) else {
            try tx.db.execute(
                "UPDATE planned_messages SET next_at = NULL WHERE planned_id = ? AND next_at <= ?",
                [id, now.nanoseconds]
            )
            return false
        }
        let receiver = try PlannedReceiver(row)
        let kind: PlannedMessage.Kind = try row.bool("broadcasts") ? .broadcast : .scheduled
        let chat: any Conversation
        let content: PlannedContent
        do {
            guard let stored = try? StoredJSON.decode(PlannedContent.self, row.string("content")) else {
                throw ChatFailure(StoreError.internalError(message: "the messages cannot be read"))
            }
            content = stored
            switch lookUpRights(ofKey: try row.string("key_id")) {
            case .unknown:
                try Self.postponeMessage(id, at: now, tx)
                return false
            case .ended: throw ChatFailure(ChatErrorType.accessDenied(reason: "the key of the request has ended"))
            case .valid(let rights):
                switch try PlannedChat.find(receiver.chat, for: kind, user, tx.db) {
                case .notConnected:
                    try tx.db.execute("UPDATE planned_messages SET next_at = NULL WHERE planned_id = ?", [id])
                    return false
                case .ready(let found): chat = found
                }
                try PlannedMessages.checkRights(receiver.chat, content, of: user, rights)
            }
        } catch let failure as ChatFailure {
            try PlannedMessages.recordResult(
                .failed,
                problem: failure.error,
                receiver: receiver.number,
                of: id,
                at: now,
                tx
            )
            return true
        }
        try PlannedFiles.prepareFiles(forReceiver: receiver.number, of: id, tx)
        let response: ChatResponse
        do {
            response = try RunningCommand.sendItems(
                content.messages.map { try OutgoingItem($0, paths) },
                in: chat,
                live: false,
                ttl: content.ttl,
                asGroup: content.sendAsGroup,
                signed: content.sign,
                user,
                tx
            )
        } catch let failure as ChatFailure {
            throw RefusedReceiver(receiverNumber: receiver.number, failure: failure)
        }
        guard case .newChatItems(_, let items) = response else {
            throw RefusedReceiver(receiverNumber: receiver.number, failure: .commandError("no items"))
        }
        // No client gets the answer to a command, so an event reports the items.
        try tx.emit(.newChatItems(user: user.api, chatItems: items), user: user.userId)
        let rate = max(1, try row.int64("send_rate"))
        let interval = Int64(content.messages.count) * 1_000_000_000 / rate
        try tx.db.execute(
            "UPDATE planned_messages SET next_at = ? WHERE planned_id = ?",
            [now.nanoseconds + interval, id]
        )
        if receiver.chat.chatType == .contactConnection {
            try PlannedMessages.setChat(chat.chatKey, ofReceiver: receiver.number, of: id, tx)
        }
        try PlannedMessages.recordResult(
            .sent,
            items: items.map(\.chatItem.meta.itemId),
            receiver: receiver.number,
            of: id,
            at: now,
            tx
        )
        return false
    }

    /// Returns the rights of an API key at this moment.
    private func lookUpRights(ofKey id: String) -> PlannedRights { rights.withLock { $0.lookUp }?(id) ?? .unknown }

    private static func postponeMessage(_ id: Int64, at now: Timestamp, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE planned_messages SET next_at = ? WHERE planned_id = ? AND finished_at IS NULL",
            [now.adding(seconds: retryPauseSeconds).nanoseconds, id]
        )
    }
}

/// The chat of a receiver.
enum PlannedChat {
    case ready(any Conversation)
    /// The chat is not connected yet.
    case notConnected

    /// - Throws: an error if the chat does not exist.
    static func find(
        _ receiver: ChatRef,
        for kind: PlannedMessage.Kind,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> PlannedChat {
        var key: ChatKey
        if receiver.chatType == .contactConnection {
            let gone = ChatFailure(StoreError.pendingConnectionNotFound(connId: receiver.chatId))
            guard let connection = try ConnectionRecord.find(receiver.chatId, in: db),
                connection.userId == user.userId
            else { throw gone }
            switch connection.owner {
            case .pending: return .notConnected
            case .contact(let id): key = .contact(id)
            case .member(let id):
                guard let member = try MemberRecord.find(id, user: user.userId, in: db) else { throw gone }
                key = .group(member.groupId)
            case .address: throw gone
            }
        } else {
            key = try ChatKey(whole: receiver)
        }
        let chat = try key.getConversation(user, db)
        // A scheduled message waits until its chat is connected. A broadcast does not wait for any of its chats.
        guard kind == .scheduled else { return .ready(chat) }
        return chat.waitsForPeer ? .notConnected : .ready(chat)
    }
}
