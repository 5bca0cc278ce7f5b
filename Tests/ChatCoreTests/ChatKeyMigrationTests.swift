import ChatAPI
import Foundation
import Logging
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

@Suite("Migration of a store with one column for each kind of chat")
struct ChatKeyMigrationTests {
    private static let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    private static var older: [Migration] { Array(ChatSchema.migrations.prefix { $0.name != ChatKeySchema.migration.name }) }
    private static let tables = ["chat_items", "chat_item_versions", "chat_item_reactions", "chat_tags_chats", "chat_names_changed"]

    @Test("All items, versions, reactions, counts, tags and names stay; new ids are higher; searches use the same index")
    func migrates() async throws {
        try await withStore { path in
            let before = try await Database.open(at: path, key: Self.key, migrations: Self.older, readers: 1)
            try await before.write { db in try Self.fill(db) }
            let (sizes, last) = try await before.read { db in try (Self.sizes(db), Self.lastIds(db)) }
            #expect(sizes["chat_items"] == 400)
            await before.close()

            let chats = try await ChatStore.open(at: path, key: Self.key, retention: JournalRetention())
            #expect(try await chats.read { db in try Self.sizes(db) } == sizes)
            #expect(try await chats.read { db in try Self.lastIds(db) } == last)
            try await chats.read { db throws in
                for row in try db.query("SELECT user_id, chat_type, chat_id, item_text FROM chat_items") {
                    #expect(try row.string("item_text").hasPrefix("\(row.int64("user_id")) \(ChatKey(row)) "))
                }
                // The origin that the forwarded item names.
                let contact = try #require(try ContactRecord.find(2, user: 1, in: db))
                let item = try #require(try ItemQueries.items([2], in: contact, db).first)
                #expect(item.forwarded == .contact(chatName: "x", msgDir: .snd, contactId: 1, chatItemId: 1))
                #expect(item.reactions.map(\.totalReacted) == [2])
                #expect(item.quoted?.itemId == 6)
                #expect(try ContactRecord.find(1, user: 1, in: db)?.tagIds == [1])
                #expect(try db.query("PRAGMA foreign_key_check").isEmpty)
                try Self.expectCounts(db)
                #expect(try chats.names.chats(named: "x", user: 2, db) == [.contact(1), .contact(2), .contact(3)])
            }
            // The lists of the older index lead to the messages.
            #expect(try await chats.read { try $0.first("SELECT covered FROM search_state")?.int64(0) } == 384)
            try await compare(chats)
            let worker = SearchIndexWorker(store: chats, logger: Logger(label: "test"))
            while try await worker.coverNext() {}
            try await compare(chats)
            await chats.database.close()
        }
    }

    @Test("Deleting a contact or a user deletes its items, reactions, tags and counts, not those of an equal id")
    func deletes() async throws {
        try await withStore { path in
            let before = try await Database.open(at: path, key: Self.key, migrations: Self.older, readers: 1)
            try await before.write { db in try Self.fill(db) }
            await before.close()
            let chats = try await ChatStore.open(at: path, key: Self.key, retention: JournalRetention())
            try await chats.write { tx throws in
                func left(_ table: String, _ condition: String) throws -> Int64 {
                    try tx.db.first("SELECT count(*) FROM \(table) WHERE \(condition)")?.int64(0) ?? 0
                }
                let notes = try left("chat_items", "user_id = 1 AND chat_type = 2 AND chat_id = 1")
                #expect(notes > 0)
                try tx.db.execute("DELETE FROM contacts WHERE user_id = 1 AND contact_id = 1")
                for table in ["chat_items", "chat_item_reactions", "chat_tags_chats", "chat_item_days"] {
                    #expect(try left(table, "user_id = 1 AND chat_type = 0 AND chat_id = 1") == 0, "\(table)")
                    #expect(try left(table, "user_id = 2 AND chat_type = 0 AND chat_id = 1") > 0, "\(table)")
                }
                #expect(try left("chat_items", "user_id = 1 AND chat_type = 2 AND chat_id = 1") == notes)
                #expect(try left("chat_item_versions", "chat_item_id NOT IN (SELECT chat_item_id FROM chat_items)") == 0)
                try Self.expectCounts(tx.db)
                try tx.db.execute("DELETE FROM users WHERE user_id = 2")
                for table in ["chat_items", "chat_item_reactions", "chat_tags_chats", "chat_item_days"] {
                    #expect(try left(table, "user_id = 2") == 0, "\(table)")
                }
            }
            await chats.database.close()
        }
    }

    private func withStore(_ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chats-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        try await body(path)
    }

    private func compare(_ chats: ChatStore) async throws {
        try await chats.read { db in
            for user in 1...2 as ClosedRange<Int64> {
                for contact in try ContactRecord.all(user: user, in: db) {
                    let found = try ItemQueries.last(1_000, filter: ItemFilter(search: "PPLE"), in: contact, db).map(\.itemId)
                    let all = try db.query(
                        "SELECT chat_item_id FROM chat_items WHERE user_id = ? AND chat_type = 0 AND chat_id = ? AND item_text LIKE '%apple%' ORDER BY created_at",
                        user, contact.contactId)
                    #expect(try found == all.map { try $0.int64(0) } && !found.isEmpty)
                }
            }
        }
    }

    private static func sizes(_ db: StoreConnection) throws -> [String: Int64] {
        try Dictionary(uniqueKeysWithValues: tables.map { ($0, try db.first("SELECT count(*) FROM \($0)")?.int64(0) ?? 0) })
    }

    private static func lastIds(_ db: StoreConnection) throws -> [String: Int64] {
        // A table that was copied while it was empty has 0 here.
        let rows = try db.query("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")
        return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.string("name"), try $0.int64("seq")) })
    }

    private static func expectCounts(_ db: StoreConnection) throws {
        func numbers(_ sql: String) throws -> [[Int64]] { try db.query(sql).map { row in try (0..<6).map { try row.int64($0) } } }
        #expect(
            try numbers("SELECT user_id, chat_type, chat_id, day, items, unread FROM chat_item_days WHERE items <> 0 ORDER BY 1, 2, 3, 4")
                == numbers(
                    """
                    SELECT user_id, chat_type, chat_id, created_at / \(ChatCounts.day), count(*), sum(item_status = 'rcvNew') FROM chat_items
                    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
                    """))
        let wrong = try db.first(
            "SELECT 1 FROM contacts c WHERE unread_count <> (SELECT count(*) FROM chat_items i WHERE \(ChatKey.itemsOfContact) AND i.item_status = 'rcvNew')")
        #expect(wrong == nil)
    }

    /// Two users with three contacts each and notes, in whose chats are 400 items, as the older program wrote them, with three small spans of the index.
    private static func fill(_ db: StoreConnection) throws {
        for user in 1...2 as ClosedRange<Int64> {
            try addProfile(of: nil, db)
            try db.execute(
                "INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at) VALUES (1, ?, ?, 0, 0)",
                db.lastInsertRowID, "user\(user)")
            try NoteFolderRecord.create(user: user, at: Timestamp(nanoseconds: 0), in: db)
            try db.execute("INSERT INTO chat_tags (user_id, chat_tag_text, tag_order) VALUES (?, 'tag', 1)", user)
            let tag = db.lastInsertRowID
            for contact in 1...3 as ClosedRange<Int64> {
                try addProfile(of: user, db)
                try db.execute(
                    """
                    INSERT INTO contacts (user_id, contact_id, contact_profile_id, local_display_name, created_at, updated_at, chat_ts)
                    VALUES (?, ?, ?, ?, 0, 0, 0)
                    """, user, contact, db.lastInsertRowID, "x_\(contact)")
                try db.execute("INSERT INTO chat_tags_chats (user_id, contact_id, chat_tag_id) VALUES (?, ?, ?)", user, contact, tag)
            }
        }
        for index in 0..<402 as Range<Int64> {
            let user = index / 4 % 2 + 1, contact = index % 4 + 1
            let chat = contact < 4 ? ChatKey.contact(contact) : .notes(1)
            try addItem(index, user: user, chat, db)
        }
        // Ids are not used again.
        try db.execute("DELETE FROM chat_items WHERE chat_item_id > 400")
        try db.execute(
            """
            UPDATE chat_items SET item_forwarded = ?, forwarded_contact_id = 1, forwarded_item_id = 1, quoted_shared_msg_id = x'06',
              quoted_item = '{"content":{"type":"text","text":"quoted"},"sentAt":"2026-01-01T00:00:00Z"}' WHERE chat_item_id = 2
            """, try StoredJSON.encode(CIForwardedFrom.contact(chatName: "x", msgDir: .snd, contactId: 1, chatItemId: 1)))
        // A quoted message in the same chat.
        try db.execute("UPDATE chat_items SET user_id = 1, contact_id = 2, shared_msg_id = x'06', item_text = '1 contact(2) apple' WHERE chat_item_id = 6")
        for number in 0..<3 as Range<Int64> { try index(number, db) }
    }

    private static func addItem(_ index: Int64, user: Int64, _ chat: ChatKey, _ db: StoreConnection) throws {
        let created = index * ChatCounts.day / 10
        let (contact, notes): (Int64?, Int64?) = if case .contact(let id) = chat { (id, nil) } else { (nil, chat.chatId) }
        let status = contact != nil && index % 3 == 0 ? "rcvNew" : "rcvRead"
        try db.execute(
            """
            INSERT INTO chat_items (user_id, contact_id, note_folder_id, item_sent, item_ts, item_status, item_content, msg_content_tag, item_text, shared_msg_id,
              created_at, updated_at)
            VALUES (?, ?, ?, 0, ?, ?, '{"type":"rcvMsgContent","msgContent":{"type":"text","text":"x"}}', 'text', ?, ?, ?, ?)
            """, user, contact, notes, created, status, "\(user) \(chat) \(index % 7 == 0 ? "apple" : "pear")",
            contact == nil ? nil : [UInt8(index % 251), UInt8(index / 251)], created, created)
        let item = db.lastInsertRowID
        try db.execute("UPDATE OR FAIL chat_item_days SET items = items + 1, unread = unread + ? WHERE user_id = ? AND chat = ? AND day = ?",
            Int64(status == "rcvNew" ? 1 : 0), user, contact ?? -1, created / ChatCounts.day)
        if db.changes == 0 {
            try db.execute(
                "INSERT INTO chat_item_days VALUES (?, ?, ?, 1, ?)", user, contact ?? -1, created / ChatCounts.day, Int64(status == "rcvNew" ? 1 : 0))
        }
        guard let contact else { return }
        if status == "rcvNew" {
            try db.execute("UPDATE contacts SET unread_count = unread_count + 1 WHERE user_id = ? AND contact_id = ?", user, contact)
        }
        try db.execute("INSERT INTO chat_item_versions (chat_item_id, msg_content, item_version_ts, created_at) VALUES (?, '{}', 0, 0)", item)
        for sent in [false, true] {
            try db.execute(
                """
                INSERT INTO chat_item_reactions (user_id, contact_id, shared_msg_id, reaction_sent, reaction, reaction_ts)
                VALUES (?, ?, ?, ?, '{"type":"emoji","emoji":"👍"}', 0)
                """, user, contact, [UInt8(index % 251), UInt8(index / 251)], sent)
        }
    }

    private static func addProfile(of user: Int64?, _ db: StoreConnection) throws {
        try db.execute(
            "INSERT INTO contact_profiles (user_id, display_name, profile, created_at, updated_at) VALUES (?, 'x', '{\"displayName\":\"x\",\"fullName\":\"\"}', 0, 0)",
            user)
    }

    /// Writes a small span as the older program did: with numbers for contacts and notes that still hold.
    private static func index(_ number: Int64, _ db: StoreConnection) throws {
        let rows = try db.query(
            """
            SELECT chat_item_id, user_id, coalesce(contact_id, -note_folder_id) AS chat, item_text, item_ts FROM chat_items
            WHERE chat_item_id >= ? AND chat_item_id < ? ORDER BY chat_item_id
            """, number * SearchSpan.small, (number + 1) * SearchSpan.small)
        var lists: [TrigramIndex.Gram: [UInt16]] = [:]
        for row in rows {
            let offset = UInt16(truncatingIfNeeded: try row.int64("chat_item_id") - number * SearchSpan.small)
            func note(_ gram: TrigramIndex.Gram) { if lists[gram]?.last != offset { lists[gram, default: []].append(offset) } }
            TrigramIndex.forEach(in: try row.string("item_text"), note)
            let chat = try row.int64("chat")
            note(TrigramIndex.chat(number: try row.int64("user_id") &* TrigramIndex.chatsOfUser &+ (chat << 1 ^ chat >> 63)))
        }
        for (gram, offsets) in lists {
            try db.execute(
                "INSERT INTO search_small_lists VALUES (?, ?)", TrigramIndex.list(gram, span: number),
                GramList.encoded(offsets, size: Int(SearchSpan.small)))
        }
        let times = try rows.map { try $0.int64("item_ts") }
        try db.execute(
            "INSERT INTO search_spans VALUES (0, ?, ?, ?, ?, ?, 0, 0)", number, times.min(), times.max(), times.min(), times.max())
        try db.execute("UPDATE search_state SET covered = ?1, watched = ?1, spans_written = spans_written + 1", (number + 1) * SearchSpan.small)
    }
}
