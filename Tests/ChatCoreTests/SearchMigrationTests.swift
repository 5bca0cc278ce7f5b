import Foundation
import Logging
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

/// A store as the program left it whose small spans had 1,024 ids, and whose index had no totals.
@Suite("The search index of an older store")
struct SearchMigrationTests {
    private static let smallSpan: Int64 = 1_024
    private static let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))

    /// The migrations that such a program had.
    private static var older: [Migration] { Array(ChatSchema.migrations.prefix { $0.name != SearchSchema.totals.name }) }

    @Test(
        "An older search index is migrated, its searches equal a full scan, and deleted texts are not in it",
        arguments: [(items: 3_000, large: 0, small: 2), (items: 16_900, large: 0, small: 16), (items: 20_000, large: 1, small: 3)])
    func migrates(_ store: (items: Int, large: Int64, small: Int64)) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chats-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let before = try await Database.open(at: path, key: Self.key, migrations: Self.older, readers: 1)
        try await before.write { db in
            var random = SeededRandom(seed: UInt64(store.items))
            try Self.fill(db, store.items, &random)
            for number in 0..<store.large { try Self.index(isLarge: true, number, db) }
            let first = store.large * SearchSpan.large / Self.smallSpan
            for number in first..<first + store.small { try Self.index(isLarge: false, number, db) }
            // Noted, and not yet looked at by the program of before.
            try SearchSamples.change(db, &random, contact: "contact_id = 2, note_folder_id = NULL")
            try db.execute("DELETE FROM chat_items WHERE item_text LIKE '%xylophon%'")
        }
        await before.close()

        let outline = SearchOutline()
        let chats = try await ChatStore.open(at: path, key: Self.key, retention: JournalRetention())
        try await compare(chats, outline)
        let covered = try await chats.read { try $0.first("SELECT covered FROM search_state")?.int64("covered") }
        #expect(covered == store.large * SearchSpan.large)
        let worker = SearchIndexWorker(store: chats, logger: Logger(label: "test"))
        while try await worker.coverNext() {}
        try await compare(chats, outline)
        while try await chats.read({ try $0.first("SELECT 1 FROM search_stale") }) != nil { try await worker.refreshOne() }
        try await compare(chats, outline)
        try await chats.read { db throws in
            #expect(try db.first("SELECT covered FROM search_state")?.int64("covered") == Int64(store.items) / SearchSpan.small * SearchSpan.small)
            // Facts that a span lacked before are known now.
            #expect(try db.first("SELECT 1 FROM search_spans WHERE disorder_ts IS NULL OR disorder_created IS NULL") == nil)
            let small = "SELECT span FROM search_spans WHERE is_large = 0"
            #expect(try db.first("SELECT 1 FROM search_small_lists WHERE list & \(TrigramIndex.spanMask) NOT IN (\(small))") == nil)
            let totals = "SELECT list >> 26 AS gram, sum(length(items)) AS bytes FROM search_large_lists GROUP BY 1"
            #expect(try db.first("SELECT * FROM (\(totals) EXCEPT SELECT gram, bytes FROM search_totals)") == nil)
            #expect(try db.first("SELECT * FROM (SELECT gram, bytes FROM search_totals EXCEPT \(totals))") == nil)
            let pieces = TrigramIndex.wanted(for: "xylophon").map { String($0.lowerBound) }.joined(separator: ",")
            for (table, gram) in [("search_large_lists", "list >> 26"), ("search_small_lists", "list >> 26"), ("search_totals", "gram")] {
                #expect(try db.first("SELECT 1 FROM \(table) WHERE \(gram) IN (\(pieces))") == nil, "\(table)")
            }
            // The filters of spans from before are learned.
            #expect(try SearchOutline.sizes(db).runs.mayHave("qxqxqx") == (store.items < SearchSpan.large))
            let sizes = try db.query("SELECT gram, bytes FROM search_totals").map { (gram: try $0.int64(0), bytes: try $0.int64(1)) }
            #expect(try SearchOutline.sizes(db).sizes.stored == ListSizes(sizes).stored)
        }
        await chats.database.close()
    }

    private func compare(_ chats: ChatStore, _ outline: SearchOutline) async throws {
        try await chats.read { db in
            var random = SeededRandom(seed: 9)
            try SearchSamples.compare(60, db, &random, outline)
        }
    }

    private static func fill(_ db: StoreConnection, _ count: Int, _ random: inout SeededRandom) throws {
        for user in 1...2 as ClosedRange<Int64> {
            try profile(of: nil, db)
            try db.execute(
                "INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at) VALUES (1, ?, ?, 0, 0)",
                db.lastInsertRowID, "user\(user)")
            try NoteFolderRecord.create(user: user, at: Timestamp(nanoseconds: 0), in: db)
            for contact in 1...3 as ClosedRange<Int64> {
                try profile(of: user, db)
                try db.execute(
                    """
                    INSERT INTO contacts (user_id, contact_id, contact_profile_id, local_display_name, created_at, updated_at, chat_ts)
                    VALUES (?, ?, ?, ?, 0, 0, 0)
                    """, user, contact, db.lastInsertRowID, "x_\(contact)")
            }
        }
        for index in 0..<count {
            let created = Int64(index) * 1_000_000
            let contact: Int64? = index % 40 == 0 ? nil : .random(in: 1...3, using: &random)
            let text = index % 5_000 == 1_000 ? "the secret Xylophon" : SearchSamples.text(&random)
            try db.execute(
                """
                INSERT INTO chat_items (user_id, contact_id, note_folder_id, item_sent, item_ts, item_status, item_content, item_text, created_at, updated_at)
                VALUES (?, ?, ?, 0, ?, 'rcvRead', '{}', ?, ?, ?)
                """, Int64.random(in: 1...2, using: &random), contact, contact == nil ? Int64(1) : nil,
                created + .random(in: -30...30, using: &random) * 1_000_000, text, created, created)
        }
    }

    private static func profile(of user: Int64?, _ db: StoreConnection) throws {
        try db.execute(
            "INSERT INTO contact_profiles (user_id, display_name, profile, created_at, updated_at) VALUES (?, 'x', '{\"displayName\":\"x\",\"fullName\":\"\"}', 0, 0)",
            user)
    }

    /// Writes a span as it was written then.
    private static func index(isLarge: Bool, _ number: Int64, _ db: StoreConnection) throws {
        let size = isLarge ? SearchSpan.large : smallSpan
        let rows = try db.query(
            """
            SELECT chat_item_id, user_id, coalesce(contact_id, -note_folder_id) AS chat, item_text, item_ts, created_at FROM chat_items
            WHERE chat_item_id >= ? AND chat_item_id < ? ORDER BY chat_item_id
            """, number * size, (number + 1) * size)
        var lists: [TrigramIndex.Gram: [UInt16]] = [:]
        for row in rows {
            let offset = UInt16(truncatingIfNeeded: try row.int64("chat_item_id") - number * size)
            func note(_ gram: TrigramIndex.Gram) { if lists[gram]?.last != offset { lists[gram, default: []].append(offset) } }
            TrigramIndex.forEach(in: try row.string("item_text"), note)
            let chat = try row.int64("chat")
            note(-((try row.int64("user_id") << 32) &+ (chat << 1 ^ chat >> 63)) - 1)
        }
        for (gram, offsets) in lists.sorted(by: { $0.key < $1.key }) {
            let list = GramList.encoded(offsets, size: Int(size))
            if isLarge {
                try db.execute("INSERT INTO search_grams VALUES (?, ?, ?)", gram, number, list)
            } else {
                try db.execute("INSERT INTO search_recent VALUES (?, ?, ?)", number, gram, list)
            }
        }
        let (sent, created) = (try rows.map { try $0.int64("item_ts") }, try rows.map { try $0.int64("created_at") })
        try db.execute(
            "INSERT INTO search_spans VALUES (?, ?, ?, ?, ?, ?, ?)", isLarge, number, sent.min(), sent.max(),
            created.min(), created.max(), StoredNumbers.encoded(isLarge ? lists.keys.sorted() : []))
        try db.execute("UPDATE search_state SET covered = max(covered, ?1), watched = max(watched, ?1)", (number + 1) * size)
    }
}
