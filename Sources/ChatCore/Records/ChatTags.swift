internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Access to the tags of a user.
enum ChatTags {
    /// Finds the tags of a user, in the order that the user has set.
    static func findAll(user userId: Int64, in db: StoreConnection) throws -> [ChatTag] {
        try db.query(
            "SELECT chat_tag_id, chat_tag_text, chat_tag_emoji FROM chat_tags WHERE user_id = ? ORDER BY tag_order, chat_tag_id",
            [userId]
        ).map { row in
            ChatTag(
                chatTagId: try row.int64("chat_tag_id"),
                chatTagText: try row.string("chat_tag_text"),
                chatTagEmoji: try row.stringOrNil("chat_tag_emoji")
            )
        }
    }

    /// Makes the SQL of a column with the tags of a chat.
    /// - Parameters:
    ///   - owner: the alias of the table of the chats in the query.
    ///   - id: the column of this table with the id of the chat.
    static func tagsColumn(_ kind: ChatKey.Kind, _ owner: String, _ id: String) -> String {
        "(SELECT group_concat(t.chat_tag_id) FROM chat_tags_chats t WHERE \(ChatKey.joinCondition("t", kind, owner, id))) AS chat_tags"
    }

    /// Parses a value of the SQL column that ``tagsColumn(_:_:_:)`` makes: the ids of the tags of a chat.
    static func parseIds(_ text: String?) -> [Int64] {
        (text ?? "").split(separator: ",").compactMap { Int64($0) }.sorted()
    }

    static func create(_ data: ChatTagData, user userId: Int64, _ tx: Transaction) throws {
        try requireUnique(data, except: nil, user: userId, tx.db)
        let order = try tx.db.queryFirst(
            "SELECT coalesce(max(tag_order), 0) + 1 AS next FROM chat_tags WHERE user_id = ?",
            [userId]
        )?.int64("next")
        try tx.db.insert(
            into: "chat_tags",
            ["user_id": userId, "chat_tag_text": data.text, "chat_tag_emoji": data.emoji, "tag_order": order ?? 1]
        )
    }

    static func update(_ tagId: Int64, _ data: ChatTagData, user userId: Int64, _ tx: Transaction) throws {
        guard try exists(tagId, user: userId, tx.db) else { return }
        try requireUnique(data, except: tagId, user: userId, tx.db)
        try tx.db.update(
            "chat_tags",
            set: ["chat_tag_text": data.text, "chat_tag_emoji": data.emoji],
            where: ["user_id": userId, "chat_tag_id": tagId]
        )
    }

    static func exists(_ tagId: Int64, user userId: Int64, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            "SELECT 1 FROM chat_tags WHERE user_id = :user_id AND chat_tag_id = :chat_tag_id",
            ["user_id": userId, "chat_tag_id": tagId]
        ) != nil
    }

    /// Throws if another tag of the user has the same text or emoji. In the original, the database makes this check.
    private static func requireUnique(
        _ data: ChatTagData,
        except tagId: Int64?,
        user userId: Int64,
        _ db: StoreConnection
    ) throws {
        for (column, value) in [("chat_tag_text", data.text), ("chat_tag_emoji", data.emoji)] {
            guard let value else { continue }
            let taken = try db.firstRow(
                """
                SELECT 1 FROM chat_tags WHERE user_id = :user_id AND \(column) = :value AND chat_tag_id <> :chat_tag_id
                """,
                ["user_id": userId, "value": value, "chat_tag_id": tagId ?? 0]
            )
            guard taken == nil else {
                throw ChatFailure(
                    StoreError.uniqueViolation(
                        message: "UNIQUE constraint failed: chat_tags.user_id, chat_tags.\(column)"
                    )
                )
            }
        }
    }
}
