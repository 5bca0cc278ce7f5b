import ChatAPI
import ChatStoreTestSupport
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Counts of items")
struct ChatCountsTests {
    @Test
    func `The stored counts of chat items equal the numbers of rows after random changes`() async throws {
        let store = try await TemporaryStore()
        try await store.chats.write { tx in
            try tx.addUsers()
            var random = SeededRandom(seed: 11)
            for step in 0..<600 {
                let items = try tx.db.query("SELECT chat_item_id FROM chat_items").map { try $0.int64(0) }
                let item = items.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<10, using: &random) {
                case 0: try tx.db.execute("DELETE FROM chat_items WHERE chat_item_id = ?", item)
                case 1: try tx.db.execute("UPDATE chat_items SET item_status = 'rcvRead' WHERE chat_item_id = ?", item)
                case 2:
                    try tx.db.execute(
                        "UPDATE chat_items SET item_status = 'rcvNew' WHERE chat_item_id = ? AND chat_type = 0",
                        item
                    )
                case 3:
                    try tx.db.execute(
                        "UPDATE chat_items SET user_id = 2, chat_id = ? WHERE chat_item_id = ? AND chat_type = 0",
                        Int64.random(in: 1...3, using: &random),
                        item
                    )
                case 4 where step % 97 == 0:
                    try tx.db.execute("DELETE FROM contacts WHERE user_id = 1 AND contact_id = 3")
                default:
                    let chats: [ChatKey] = [.notes(1), .group(1), .contact(1), .contact(2), .contact(1), .contact(2)]
                    let chat = chats.randomElement(using: &random) ?? .notes(1)
                    try tx.addItem(
                        user: 1,
                        chat,
                        status: Bool.random(using: &random) && chat != .notes(1) ? "rcvNew" : "rcvRead",
                        createdAt: .random(in: 0..<20, using: &random) * ChatCounts.dayNanoseconds / 4,
                        itemTs: .random(in: 0..<20, using: &random) * ChatCounts.dayNanoseconds / 4,
                        text: "item \(step)"
                    )
                }
            }
        }
        try await store.chats.read { db in
            let kept = try db.query(
                "SELECT user_id, chat_type, chat_id, day, items, unread FROM chat_item_days WHERE items <> 0 OR unread <> 0 ORDER BY 1, 2, 3, 4"
            )
            let counted = try db.query(
                """
                SELECT user_id, chat_type, chat_id, CASE chat_type WHEN 1 THEN item_ts ELSE created_at END / \(ChatCounts.dayNanoseconds), count(*), sum(item_status = 'rcvNew')
                FROM chat_items GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                """
            )
            func numbers(_ rows: [Row]) throws -> [[Int64]] {
                try rows.map { row in try (0..<6).map { try row.int64($0) } }
            }
            #expect(try numbers(kept) == numbers(counted))
            #expect(kept.count > 10)
            let unread = try db.query("SELECT user_id, contact_id, unread_count FROM contacts ORDER BY 1, 2").map {
                row in try (0..<3).map { try row.int64($0) }
            }
            let all = try db.query(
                """
                SELECT c.user_id, c.contact_id, (SELECT count(*) FROM chat_items i WHERE \(ChatKey.contactItemsCondition)
                  AND i.item_status = 'rcvNew') FROM contacts c ORDER BY 1, 2
                """
            ).map { row in try (0..<3).map { try row.int64($0) } }
            #expect(unread == all)
            #expect(
                try db.firstRow("SELECT unread_count FROM groups WHERE user_id = 1")?.int64(0)
                    == db.firstRow(
                        "SELECT count(*) FROM chat_items WHERE user_id = 1 AND chat_type = 1 AND item_status = 'rcvNew'"
                    )?.int64(0)
            )
            for row in try db.query("SELECT chat_item_id, chat_id FROM chat_items WHERE user_id = 1 AND chat_type = 0")
            {
                let contact = try #require(try ContactRecord.find(row.int64("chat_id"), user: 1, in: db))
                let item = try ItemQueries.get(row.int64("chat_item_id"), in: contact, db)
                let following = try db.firstRow(
                    """
                    SELECT count(*) AS items, total(item_status = 'rcvNew') AS unread FROM chat_items WHERE user_id = 1 AND chat_type = 0 AND chat_id = ?1
                      AND (created_at > ?2 OR (created_at = ?2 AND chat_item_id > ?3))
                    """,
                    contact.contactId,
                    item.createdAt.nanoseconds,
                    item.itemId
                )
                let told = try ChatCounts.countFollowingItems(item, in: contact, db)
                #expect(try Int64(told.items) == following?.int64("items"))
                #expect(try Double(told.unread) == following?.double("unread"))
            }
        }
    }

    @Test
    func `A query for messages since a given time uses an index`() async throws {
        let store = try await TemporaryStore()
        try await store.chats.write { tx in try tx.addUsers() }
        try await store.chats.read { db in
            let contact = try #require(try ContactRecord.find(1, user: 1, in: db))
            for (tag, range) in [
                (nil, "idx_chat_items_chat (user_id=? AND chat_type=? AND chat_id=? AND order_ts>?"),
                (
                    .image,
                    "idx_chat_items_content (user_id=? AND chat_type=? AND chat_id=? AND msg_content_tag=? AND order_ts>?"
                ),
            ] as [(MsgContentTag?, String)] {
                var filter = ItemFilter(contentTag: tag)
                filter.messageFilter.since = Timestamp(seconds: 1_000_000)
                let (place, condition) = (filter.chatCondition(in: contact), filter.filterCondition)
                for page in ["", " AND i.order_ts <= 9 AND (i.order_ts < 9 OR i.chat_item_id < 9)"] {
                    let plan = try db.query(
                        """
                        EXPLAIN QUERY PLAN SELECT i.item_text FROM \(filter.tableClause) WHERE \(place.sql)\(page)\(condition.sql)
                        \(StoredItemOrder.newestFirst) LIMIT 50
                        """,
                        place.arguments + condition.arguments
                    ).map { try $0.string("detail") }.joined(separator: "\n")
                    #expect(plan.contains(range) && !plan.contains("TEMP B-TREE"), "\(plan)")
                }
            }
        }
    }

    @Test
    func `A query for messages since a given time allows for clocks that differ by up to one day`() {
        let time = Timestamp(nanoseconds: 1_700_000_000_500_000_000)
        // The relay of a direct message may be ahead by a day.
        let created = time.adding(seconds: -StoredItemOrder.maxClockDifferenceSeconds)
        for key in [ChatKey.group(1), .contact(1)] {
            #expect(key.leastOrderTime(sentSince: time) <= key.orderTime(sent: time, created: created))
        }
        #expect(ChatKey.group(1).leastOrderTime(sentSince: time) == Timestamp(seconds: 1_700_000_000))
    }

    @Test
    func `Pages of chat items are read with an index in every order of items`() async throws {
        let store = try await TemporaryStore()
        try await store.chats.read { db in
            func plan(_ sql: String) throws -> String {
                try db.query("EXPLAIN QUERY PLAN " + sql).map { try $0.string("detail") }.joined(separator: "\n")
            }
            let contact = try plan(
                "SELECT cn.connection_id FROM \(ContactRecord.tables) WHERE c.user_id = 1 AND c.contact_used = 1 ORDER BY c.chat_ts DESC LIMIT 50"
            )
            #expect(contact.contains("idx_contacts_chat_ts"))
            #expect(contact.contains("idx_connections_contact (user_id=? AND contact_id=?)"))
            let chat = "FROM chat_items i WHERE i.user_id = 1 AND i.chat_type = 0 AND i.chat_id = 2"
            let page = try plan(
                "SELECT i.item_text \(chat) AND i.order_ts <= 9 \(StoredItemOrder.newestFirst) LIMIT 50"
            )
            #expect(
                page.contains("idx_chat_items_chat (user_id=? AND chat_type=? AND chat_id=? AND order_ts<?)")
                    && !page.contains("TEMP B-TREE")
            )
            let unread = try plan(
                "SELECT i.chat_item_id \(chat) AND i.item_status = 'rcvNew' \(StoredItemOrder.oldestFirst) LIMIT 1"
            )
            #expect(
                unread.contains("idx_chat_items_unread (user_id=? AND chat_type=? AND chat_id=?)")
                    && !unread.contains("TEMP B-TREE")
            )
            #expect(
                try plan("SELECT i.item_text \(chat) AND i.shared_msg_id = x'00'").contains(
                    "idx_chat_items_shared (user_id=? AND chat_type=? AND chat_id=? AND shared_msg_id=?)"
                )
            )
            let tag = try plan(
                "SELECT min(i.msg_content_tag) \(chat) AND i.msg_content_tag IS NOT NULL AND i.msg_content_tag > 'a'"
            )
            #expect(
                tag.contains("idx_chat_items_content (user_id=? AND chat_type=? AND chat_id=? AND msg_content_tag>?)")
            )
            #expect(
                try plan(
                    "SELECT sum(unread_count) FROM contacts WHERE unread_count > 0 AND enable_ntfs = 'all' GROUP BY user_id"
                ).contains("COVERING INDEX idx_contacts_unread")
            )
        }
    }
}

extension Transaction {
    /// Two users with three contacts and a group each, and notes.
    func addUsers() throws {
        for user in 1...2 as ClosedRange<Int64> {
            try db.execute(
                "INSERT INTO contact_profiles (display_name, profile, created_at, updated_at) VALUES ('user', '{\"displayName\":\"user\",\"fullName\":\"\"}', 0, 0)"
            )
            try db.execute(
                "INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at) VALUES (1, ?, ?, 0, 0)",
                db.lastInsertRowID,
                "user\(user)"
            )
            try NoteFolderRecord.create(user: user, at: now, in: db)
            try db.execute(
                """
                INSERT INTO groups (user_id, group_id, local_display_name, profile, membership_id, created_at, updated_at, chat_ts)
                VALUES (?, 1, 'team', '{"displayName":"team","fullName":""}', 1, 0, 0, 0)
                """,
                user
            )
            try db.execute("UPDATE users SET last_group_id = 1 WHERE user_id = ?", user)
            for contact in 1...3 as ClosedRange<Int64> {
                try db.execute(
                    "INSERT INTO contact_profiles (user_id, display_name, profile, created_at, updated_at) VALUES (?, 'x', '{\"displayName\":\"x\",\"fullName\":\"\"}', 0, 0)",
                    user
                )
                try db.execute(
                    """
                    INSERT INTO contacts (user_id, contact_id, contact_profile_id, local_display_name, created_at, updated_at, chat_ts)
                    VALUES (?, ?, ?, ?, 0, 0, 0)
                    """,
                    user,
                    contact,
                    db.lastInsertRowID,
                    "x_\(contact)"
                )
            }
        }
    }

    /// - Parameter contact: nil for a note.
    func addItem(
        user: Int64,
        contact: Int64?,
        status: String,
        createdAt: Int64,
        itemTs: Int64? = nil,
        text: String
    ) throws {
        try addItem(
            user: user,
            contact.map { .contact($0) } ?? .notes(1),
            status: status,
            createdAt: createdAt,
            itemTs: itemTs,
            text: text
        )
    }

    func addItem(
        user: Int64,
        _ chat: ChatKey,
        status: String,
        createdAt: Int64,
        itemTs: Int64? = nil,
        text: String
    ) throws {
        let orderTs = chat.orderTime(
            sent: Timestamp(nanoseconds: itemTs ?? createdAt),
            created: Timestamp(nanoseconds: createdAt)
        )
        try db.execute(
            """
            INSERT INTO chat_items (user_id, chat_type, chat_id, item_sent, item_ts, item_status, item_content, item_text, order_ts, created_at, updated_at)
            VALUES (?, ?, ?, 0, ?, ?, '{}', ?, ?, ?, ?)
            """,
            user,
            chat.kind.rawValue,
            chat.chatId,
            itemTs ?? createdAt,
            status,
            text,
            orderTs.nanoseconds,
            createdAt,
            createdAt
        )
        try ChatCounts.countItem(chat, user: user, at: orderTs, status: status, in: db)
    }
}
