import ChatAPI
import Foundation
import SimpleXCrypto
import SQLCipher
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Deletion of the data of chats by triggers")
struct ChatDataDeletionTests {
    private static let tables = ["chat_items", "chat_item_reactions", "chat_tags_chats", "chat_item_days"]

    @Test
    func `Deleting a contact deletes the contact's chat items, reactions, tags and stored counts`() async throws {
        try await withStore { tx in
            let notes = try Self.countRows("chat_items", "user_id = 1 AND chat_type = 2", tx.db)
            try tx.db.execute("DELETE FROM contacts WHERE user_id = 1 AND contact_id = 1")
            for table in Self.tables {
                #expect(
                    try Self.countRows(table, "user_id = 1 AND chat_type = 0 AND chat_id = 1", tx.db) == 0,
                    "\(table)"
                )
                #expect(
                    try Self.countRows(table, "user_id = 1 AND chat_type = 0 AND chat_id = 2", tx.db) > 0,
                    "\(table)"
                )
                #expect(
                    try Self.countRows(table, "user_id = 2 AND chat_type = 0 AND chat_id = 1", tx.db) > 0,
                    "\(table)"
                )
            }
            #expect(try Self.countRows("chat_items", "user_id = 1 AND chat_type = 2", tx.db) == notes)
            #expect(
                try Self.countRows(
                    "chat_item_versions",
                    "chat_item_id NOT IN (SELECT chat_item_id FROM chat_items)",
                    tx.db
                ) == 0
            )
        }
    }

    @Test
    func `Deleting a user deletes the items, reactions, tags and stored counts of all the user's chats`() async throws {
        try await withStore { tx in
            try tx.db.execute("DELETE FROM users WHERE user_id = 2")
            for table in Self.tables {
                #expect(try Self.countRows(table, "user_id = 2", tx.db) == 0, "\(table)")
                #expect(try Self.countRows(table, "user_id = 1", tx.db) > 0, "\(table)")
            }
        }
    }

    @Test
    func `Deleting or reading a chat item changes the stored counts of its day and chat`() async throws {
        try await withStore { tx in
            try tx.db.execute("DELETE FROM chat_items WHERE chat_item_id % 5 = 0")
            try tx.db.execute("UPDATE chat_items SET item_status = 'rcvRead' WHERE chat_item_id % 7 = 0")
            let days = try tx.db.query(
                """
                SELECT user_id, chat_type, chat_id, day, items, unread FROM chat_item_days WHERE items <> 0
                ORDER BY 1, 2, 3, 4
                """
            )
            let counted = try tx.db.query(
                """
                SELECT user_id, chat_type, chat_id, order_ts / \(ChatCounts.dayNanoseconds), count(*), sum(item_status = 'rcvNew')
                FROM chat_items GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                """
            )
            #expect(days.map(\.values) == counted.map(\.values) && !days.isEmpty)
            let wrong = try Self.countRows(
                "contacts c",
                """
                unread_count <> (SELECT count(*) FROM chat_items i
                  WHERE \(ChatKey.contactItemsCondition) AND i.item_status = 'rcvNew')
                """,
                tx.db
            )
            #expect(wrong == 0)
        }
    }

    private static func countRows(_ table: String, _ condition: String, _ db: StoreConnection) throws -> Int64 {
        try db.firstRow("SELECT count(*) FROM \(table) WHERE \(condition)")?.int64(0) ?? 0
    }

    private func withStore(_ body: @escaping @Sendable (Transaction) throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "chats-\(UUID().uuidString).db").path
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        let store = try await ChatStore.open(
            at: path,
            key: .raw([UInt8](repeating: 7, count: 32)),
            retention: JournalRetention()
        )
        try await store.write { tx throws in
            try Self.addSampleData(tx.db)
            try body(tx)
            #expect(try tx.db.query("PRAGMA foreign_key_check").isEmpty)
        }
        await store.database.close()
    }

    /// Creates two users, each with three contacts and notes, and 80 items in their chats.
    private static func addSampleData(_ db: StoreConnection) throws {
        for user in 1...2 as ClosedRange<Int64> {
            let profile = try addProfile(db)
            try db.execute(
                """
                INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at)
                VALUES (1, ?, ?, 0, 0)
                """,
                profile,
                "user\(user)"
            )
            try NoteFolderRecord.create(user: user, at: Timestamp(nanoseconds: 0), in: db)
            try db.execute("INSERT INTO chat_tags (user_id, chat_tag_text, tag_order) VALUES (?, 'tag', 1)", user)
            let tag = db.lastInsertRowID
            for contact in 1...3 as ClosedRange<Int64> {
                try db.execute(
                    """
                    INSERT INTO contacts
                      (user_id, contact_id, contact_profile_id, local_display_name, created_at, updated_at, chat_ts)
                    VALUES (?, ?, ?, ?, 0, 0, 0)
                    """,
                    user,
                    contact,
                    try addProfile(db),
                    "x_\(contact)"
                )
                try db.execute("INSERT INTO chat_tags_chats VALUES (?, 0, ?, ?)", user, contact, tag)
            }
        }
        for index in 0..<80 as Range<Int64> {
            let contact = index % 4 + 1
            try addItem(index, user: index / 4 % 2 + 1, contact < 4 ? .contact(contact) : .notes(1), db)
        }
    }

    private static func addItem(_ index: Int64, user: Int64, _ chat: ChatKey, _ db: StoreConnection) throws {
        let time = Timestamp(nanoseconds: index * ChatCounts.dayNanoseconds / 10), id = [UInt8(index)]
        let status = index % 3 == 0 ? "rcvNew" : "rcvRead"
        try db.execute(
            """
            INSERT INTO chat_items (user_id, chat_type, chat_id, item_sent, item_ts, order_ts, item_status, item_content,
              item_text, shared_msg_id, created_at, updated_at) VALUES (?1, ?2, ?3, 0, ?4, ?4, ?5, '{}', 'x', ?6, ?4, ?4)
            """,
            user,
            chat.kind.rawValue,
            chat.chatId,
            time.nanoseconds,
            status,
            id
        )
        let item = db.lastInsertRowID
        try ChatCounts.countItem(chat, user: user, at: time, status: status, in: db)
        try db.execute(
            "INSERT INTO chat_item_versions (chat_item_id, msg_content, item_version_ts, created_at) VALUES (?, '{}', 0, 0)",
            item
        )
        try db.execute(
            """
            INSERT INTO chat_item_reactions
              (user_id, chat_type, chat_id, shared_msg_id, reaction_sent, reaction, reaction_ts)
            VALUES (?, ?, ?, ?, 1, '{}', 0)
            """,
            user,
            chat.kind.rawValue,
            chat.chatId,
            id
        )
    }

    private static func addProfile(_ db: StoreConnection) throws -> Int64 {
        try db.execute(
            """
            INSERT INTO contact_profiles (display_name, profile, created_at, updated_at)
            VALUES ('x', '{"displayName":"x","fullName":""}', 0, 0)
            """
        )
        return db.lastInsertRowID
    }
}
