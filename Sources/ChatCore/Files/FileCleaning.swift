package import ChatAPI
internal import ChatStore
internal import SQLCipher

extension ChatFiles {
    /// The number and the size of the files of a chat whose contents can be deleted. These files are completely sent or
    /// received files, and files in notes.
    package struct ChatFileUse: Sendable, Equatable {
        package let chat: ChatRef
        package let fileCount: Int64
        /// The sum of the file sizes in bytes. A file of several messages counts once for each message.
        package let bytes: Int64
    }

    /// The number of files whose contents one transaction deletes. Each file also needs an event.
    private static let filesPerTransaction: Int64 = 100

    /// Returns the number and the size of the files of each chat, in no particular order. Files in support chats count
    /// for their group.
    /// - Throws: ``Refusal`` for an unknown user, and for a hidden user that is not active.
    package func readFileUseByChat(user userId: Int64) async throws -> [ChatFileUse] {
        try await store.read { db in
            guard try UserRecord.findVisible(userId, in: db) != nil else { throw Refusal(reason: .notFound) }
            return try db.query(
                """
                SELECT CASE i.chat_type WHEN \(ChatKey.Kind.support.rawValue) THEN \(ChatKey.Kind.group.rawValue) ELSE i.chat_type END AS owner_type,
                  CASE i.chat_type WHEN \(ChatKey.Kind.support.rawValue) THEN i.support_group_id ELSE i.chat_id END AS owner_id,
                  \(Self.sumColumns)
                \(Self.filesOfItemsClause) AND f.user_id = ?
                GROUP BY owner_type, owner_id
                """,
                [userId]
            ).compactMap { row in
                guard let id = try row.int64OrNil("owner_id") else { return nil }
                let key = try ChatKey(type: row.int64("owner_type"), id)
                return try ChatFileUse(row, ChatRef(chatType: key.chatType, chatId: id))
            }
        }
    }

    /// Returns the number and the size of the files of a chat. A group includes its support chats.
    /// - Throws: ``Refusal`` for an unknown chat.
    package func readFileUse(of chat: ChatRef, user userId: Int64) async throws -> ChatFileUse {
        try await store.read { db in
            let (condition, arguments) = try Self.chatCondition(chat, userId, db)
            let query = "SELECT \(Self.sumColumns) \(Self.filesOfItemsClause) AND f.user_id = ? AND \(condition)"
            guard let row = try db.queryFirst(query, [userId] + arguments) else {
                return ChatFileUse(chat: chat, fileCount: 0, bytes: 0)
            }
            return try ChatFileUse(row, chat)
        }
    }

    /// Deletes the contents of all files that are completely sent or received, and of all files in notes. The messages
    /// of these files stay. Files of running transfers, and uploads that no message has yet, stay too.
    ///
    /// The files are removed from the disk and from the object storage after the commit, as after the deletion of a
    /// message. An event `chatItemUpdated` for each item tells that the item has no file contents any more.
    /// - Returns: the number of deleted files.
    package func deleteAllContents() async throws -> Int64 {
        try await deleteContents { _ in ("SELECT f.file_id FROM files f WHERE \(Self.finishedCondition)", []) }
    }

    /// Deletes the contents of a chat's files. ``deleteAllContents()`` tells which files are deleted and which stay. A
    /// group includes its support chats.
    /// - Returns: the number of deleted files.
    /// - Throws: ``Refusal`` for an unknown chat.
    package func deleteAllContents(of chat: ChatRef, user userId: Int64) async throws -> Int64 {
        try await deleteContents { db in
            let (condition, arguments) = try Self.chatCondition(chat, userId, db)
            return (
                "SELECT f.file_id \(Self.filesOfItemsClause) AND f.user_id = ? AND \(condition)", [userId] + arguments
            )
        }
    }

    /// Deletes the contents of the files that a query selects.
    private func deleteContents(
        _ selection: @escaping @Sendable (StoreConnection) throws -> (query: String, arguments: [Argument])
    ) async throws -> Int64 {
        var (count, last) = (Int64(0), Int64(0))
        while true {
            // If the task is cancelled, the files that are not deleted yet stay.
            try Task.checkCancellation()
            let begin = last
            let ids = try await store.write { tx in
                let (query, arguments) = try selection(tx.db)
                let ids = try tx.db.query(
                    "\(query) AND f.file_id > ? ORDER BY f.file_id LIMIT ?",
                    arguments + [begin, Self.filesPerTransaction]
                ).map { try $0.int64("file_id") }
                var users: [Int64: UserRecord] = [:]
                for id in ids {
                    try tx.db.execute(
                        "INSERT INTO retired_files (file_path, is_sent) SELECT file_path, is_sent FROM files WHERE file_id = ?",
                        [id]
                    )
                    try tx.db.execute(
                        "UPDATE files SET file_path = NULL, path_seal = NULL, file_key = NULL, file_nonce = NULL WHERE file_id = ?",
                        [id]
                    )
                    guard let file = try FileRecord.find(id, in: tx.db),
                        let user = try users[file.userId] ?? UserRecord.find(file.userId, in: tx.db)
                    else { continue }
                    users[file.userId] = user
                    // If the item of a file is damaged, only its event is left out. The contents of the file are
                    // deleted.
                    guard let item = try? file.apiItem(user, tx) else { continue }
                    try tx.emit(.chatItemUpdated(user: user.api, chatItem: item), user: user.userId)
                }
                if !ids.isEmpty { tx.followUpWork.insert(.files) }
                return ids
            }
            guard let end = ids.last else { return count }
            (count, last) = (count + Int64(ids.count), end)
        }
    }

    /// Returns the SQL condition that an item `i` belongs to a chat. A group includes its support chats.
    /// - Throws: ``Refusal`` for an unknown chat.
    private static func chatCondition(
        _ chat: ChatRef,
        _ userId: Int64,
        _ db: StoreConnection
    ) throws -> (String, [Argument]) {
        guard let user = try UserRecord.findVisible(userId, in: db),
            let key = try ChatKey(chat).findConversation(user, db)?.chatKey
        else { throw Refusal(reason: .notFound) }
        return switch key {
        case .group(let id):
            (
                "(i.chat_type = \(ChatKey.Kind.group.rawValue) AND i.chat_id = ? OR i.chat_type = \(ChatKey.Kind.support.rawValue) AND i.support_group_id = ?)",
                [id, id]
            )
        default: ("i.chat_type = ? AND i.chat_id = ?", key.columnValues)
        }
    }

    private static let finishedCondition = """
        f.file_path IS NOT NULL AND f.task = 0
          AND CASE f.is_sent WHEN 1 THEN f.agent_file_id IS NULL OR f.agent_done = 1 ELSE f.transfer_status = 'complete' END
        """

    private static let filesOfItemsClause = """
        FROM files f CROSS JOIN chat_items i ON i.chat_item_id = f.chat_item_id
        WHERE \(finishedCondition)
        """

    /// The SQL columns with the number and the total size of files. A peer may have sent a size below 0 or above the
    /// maximum size of a file. The nearest limit replaces this size.
    private static let sumColumns =
        "count(*) AS files, coalesce(sum(\(FileTotals.cappedSizeExpression("f.file_size"))), 0) AS bytes"
}

extension ChatFiles.ChatFileUse {
    fileprivate init(_ row: Row, _ chat: ChatRef) throws {
        self.init(chat: chat, fileCount: try row.int64("files"), bytes: try row.int64("bytes"))
    }
}
