internal import SQLCipher

/// Indexing of journal entries from versions that did not remove deleted content from the journal. It runs once, in a
/// migration.
enum EarlierEvents {
    /// Indexes existing entries: records their subjects and sizes, and removes content that is already deleted. It
    /// reads every entry once, but parses only those of deleted items: a hundred thousand entries take some seconds.
    static func index(_ db: StoreConnection) throws {
        var last: Int64 = 0
        var end: Int64 = 0
        while true {
            let rows = try db.query("SELECT seq, user_id, event FROM events WHERE seq > ? ORDER BY seq LIMIT 500", [last])
            guard !rows.isEmpty else { break }
            for row in rows {
                last = try row.int64("seq")
                let stored = try row.blob("event")
                end += Int64(stored.count)
                try db.execute("UPDATE events SET stored_end = ? WHERE seq = ?", [end, last])
                guard let user = try row.int64OrNil("user_id") else { continue }
                try index(StoredEvent.text(of: stored), seq: last, user: user, db)
            }
        }
        guard last > 0 else { return }
        try removeDeletedItems(db)
        try removeDeletedContacts(db)
    }

    /// Finds the ids of chats and items in the text. These may be more than the event's subjects; a later deletion
    /// examines the entry closely.
    private static func index(_ event: [UInt8], seq: Int64, user: Int64, _ db: StoreConnection) throws {
        let contacts = JSONNumbers.named("contactId", in: event), notes = JSONNumbers.named("noteFolderId", in: event)
        let items = JSONNumbers.named("itemId", in: event)
        for chat in contacts.map({ "@\($0)" }) + notes.map({ "*\($0)" }) {
            for item in items.union([0]) {
                try db.execute(
                    "INSERT OR IGNORE INTO event_subjects (user_id, chat, chat_item_id, seq, says_more) VALUES (?, ?, ?, ?, 1)",
                    [user, chat, item, seq])
            }
        }
    }

    private static func removeDeletedItems(_ db: StoreConnection) throws {
        let rows = try db.query(
            """
            SELECT DISTINCT seq, chat_item_id FROM event_subjects s WHERE chat_item_id > 0
              AND NOT EXISTS (SELECT 1 FROM chat_items i WHERE i.chat_item_id = s.chat_item_id AND i.item_deleted <> 1)
            """)
        var entries: [Int64: Set<Int64>] = [:]
        for row in rows { entries[try row.int64("seq"), default: []].insert(try row.int64("chat_item_id")) }
        var texts = EventTexts(db)
        for (seq, items) in entries { try texts.rewrite(seq) { EventRedaction.event($0, withoutItems: items) } }
        try texts.finish()
    }

    /// Redacts the entries of deleted contacts. A contact that was merged into another one does not count as deleted:
    /// its items still exist.
    private static func removeDeletedContacts(_ db: StoreConnection) throws {
        let rows = try db.query(
            """
            SELECT DISTINCT seq, chat FROM event_subjects s WHERE chat LIKE '@%'
              AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.user_id = s.user_id AND c.contact_id = CAST(substr(s.chat, 2) AS INTEGER))
              AND NOT EXISTS (SELECT 1 FROM event_subjects o JOIN chat_items i ON i.chat_item_id = o.chat_item_id
                WHERE o.user_id = s.user_id AND o.chat = s.chat)
            """)
        var texts = EventTexts(db)
        for row in rows {
            let chat = try row.string("chat")
            try texts.rewrite(row.int64("seq")) { try EventRedaction.event($0, withoutChat: chat) }
        }
        try texts.finish()
    }
}
