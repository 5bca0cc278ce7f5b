internal import SQLCipher

/// How many items there are and how many of them are unread, for each chat and day, and what is unread in each chat: kept by the database with
/// every change of an item, so that nobody has to count them. A day is 86,400 seconds of UTC.
enum ChatCounts {
    static let day: Int64 = 86_400_000_000_000

    static let migration = Migration(
        name: "20261121_chat_counts",
        up: """
            CREATE TABLE chat_item_days (
              user_id INTEGER NOT NULL,
              -- the contact's id, or the negative id of notes
              chat INTEGER NOT NULL,
              day INTEGER NOT NULL,
              items INTEGER NOT NULL,
              unread INTEGER NOT NULL,
              PRIMARY KEY (user_id, chat, day)
            ) WITHOUT ROWID;
            ALTER TABLE contacts ADD COLUMN unread_count INTEGER NOT NULL DEFAULT 0;
            INSERT INTO chat_item_days SELECT user_id, \(chat("i")), created_at / \(day), count(*), total(item_status = 'rcvNew')
              FROM chat_items i GROUP BY 1, 2, 3;
            UPDATE contacts SET unread_count = coalesce((SELECT sum(d.unread) FROM chat_item_days d
              WHERE d.user_id = contacts.user_id AND d.chat = contacts.contact_id), 0);
            CREATE INDEX idx_contacts_unread ON contacts (user_id, unread_count) WHERE unread_count > 0;
            CREATE TRIGGER chat_items_counted AFTER INSERT ON chat_items BEGIN
              \(count("NEW", 1))
            END;
            CREATE TRIGGER chat_items_uncounted AFTER DELETE ON chat_items BEGIN
              \(count("OLD", -1))
            END;
            CREATE TRIGGER chat_items_moved AFTER UPDATE OF user_id, contact_id, note_folder_id, created_at ON chat_items BEGIN
              \(count("OLD", -1))
              \(count("NEW", 1))
            END;
            CREATE TRIGGER chat_items_read AFTER UPDATE OF item_status ON chat_items
            WHEN (OLD.item_status = 'rcvNew') <> (NEW.item_status = 'rcvNew') AND OLD.user_id = NEW.user_id AND \(chat("OLD")) = \(chat("NEW")) BEGIN
              UPDATE chat_item_days SET unread = unread + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
                WHERE user_id = NEW.user_id AND chat = \(chat("NEW")) AND day = NEW.created_at / \(day);
              UPDATE contacts SET unread_count = unread_count + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
                WHERE user_id = NEW.user_id AND contact_id = NEW.contact_id;
            END;
            CREATE TRIGGER contacts_uncounted AFTER DELETE ON contacts BEGIN
              DELETE FROM chat_item_days WHERE user_id = OLD.user_id AND chat = OLD.contact_id;
            END;
            CREATE TRIGGER users_uncounted AFTER DELETE ON users BEGIN
              DELETE FROM chat_item_days WHERE user_id = OLD.user_id;
            END;
            -- Only for the column that they begin with: taken for others, they would cost the more the more connections there are.
            DROP INDEX idx_connections_link;
            CREATE INDEX idx_connections_link ON connections (user_id, conn_full_link) WHERE conn_full_link IS NOT NULL;
            CREATE INDEX idx_chat_items_notes_content ON chat_items (user_id, note_folder_id, msg_content_tag, created_at, chat_item_id)
              WHERE note_folder_id IS NOT NULL AND msg_content_tag IS NOT NULL;
            """)

    /// So that what users have unread is summed up without a look at the contacts.
    static let unreadWithNotifications = Migration(
        name: "20261121_unread_of_users",
        up: """
            DROP INDEX idx_contacts_unread;
            CREATE INDEX idx_contacts_unread ON contacts (user_id, unread_count, enable_ntfs) WHERE unread_count > 0;
            """)

    /// New items are counted by ``add(_:at:status:in:)``: a trigger would make the database keep a copy of every page that their insertion changes,
    /// which costs as much as the rest of it.
    static let withoutInsertTrigger = Migration(name: "20261121_chat_counts_of_new_items", up: "DROP TRIGGER chat_items_counted;")

    /// Counts an item that has been inserted.
    /// - Parameter status: as it is stored.
    static func add(_ place: ItemPlace, user: Int64, at createdAt: Timestamp, status: String, in db: StoreConnection) throws {
        let unread: Int64 = status == ItemStatus.rcvNew.stored ? 1 : 0
        let key: [Argument] = [user, place.countedAs, createdAt.nanoseconds / day]
        try db.execute(
            "UPDATE OR FAIL chat_item_days SET items = items + 1, unread = unread + ? WHERE user_id = ? AND chat = ? AND day = ?", [unread] + key)
        if db.changes == 0 { try db.execute("INSERT INTO chat_item_days (user_id, chat, day, items, unread) VALUES (?, ?, ?, 1, ?)", key + [unread]) }
        guard unread > 0, case .contact(let contactId) = place else { return }
        try db.execute("UPDATE OR FAIL contacts SET unread_count = unread_count + 1 WHERE user_id = ? AND contact_id = ?", [user, contactId])
    }

    private static func chat(_ row: String) -> String { "coalesce(\(row).contact_id, -\(row).note_folder_id)" }

    /// Adds an item to the counts, or takes it away.
    private static func count(_ row: String, _ sign: Int) -> String {
        """
        \(sign < 0 ? "" : "INSERT OR IGNORE INTO chat_item_days VALUES (\(row).user_id, \(chat(row)), \(row).created_at / \(day), 0, 0);")
        UPDATE chat_item_days SET items = items + (\(sign)), unread = unread + (\(sign)) * (\(row).item_status = 'rcvNew')
          WHERE user_id = \(row).user_id AND chat = \(chat(row)) AND day = \(row).created_at / \(day);
        UPDATE contacts SET unread_count = unread_count + (\(sign))
          WHERE \(row).item_status = 'rcvNew' AND user_id = \(row).user_id AND contact_id = \(row).contact_id;
        """
    }

    /// How much follows an item in its chat: whole days are counted already.
    static func following(_ item: ItemRecord, in chat: some ItemChat, _ db: StoreConnection) throws -> (items: Int64, unread: Int64) {
        let created = item.createdAt.nanoseconds
        let today = created / day
        let later = try db.first(
            "SELECT sum(items) AS items, sum(unread) AS unread FROM chat_item_days WHERE user_id = ? AND chat = ? AND day > ?",
            [chat.userId, chat.place.countedAs, today])
        let place = """
            FROM chat_items WHERE user_id = ? AND \(type(of: chat).itemColumn) = ? AND created_at >= ? AND created_at < ?
              AND (created_at > ? OR chat_item_id > ?)
            """
        let arguments: [Argument] = [chat.userId, chat.itemKey, created, (today &+ 1) &* day, created, item.itemId]
        let sameDay = try db.first("SELECT count(*) AS n \(place)", arguments)?.int64("n") ?? 0
        let unread = try db.first("SELECT count(*) AS n \(place) AND item_status = 'rcvNew'", arguments)?.int64("n") ?? 0
        return (sameDay + (try later?.int64OrNil("items") ?? 0), unread + (try later?.int64OrNil("unread") ?? 0))
    }

    /// How many items of a chat are unread.
    static func unread(in chat: some ItemChat, _ db: StoreConnection) throws -> Int64 {
        guard case .contact(let contactId) = chat.place else {
            return try db.first(
                "SELECT sum(unread) AS n FROM chat_item_days WHERE user_id = ? AND chat = ?", [chat.userId, chat.place.countedAs])?.int64OrNil("n") ?? 0
        }
        return try db.first("SELECT unread_count FROM contacts WHERE user_id = ? AND contact_id = ?", [chat.userId, contactId])?
            .int64("unread_count") ?? 0
    }

    /// How many items are unread in those of each user's chats that are wanted to be told of.
    static func unreadOfUsers(_ db: StoreConnection) throws -> [Int64: Int] {
        let rows = try db.query(
            "SELECT user_id, sum(unread_count) AS n FROM contacts WHERE unread_count > 0 AND enable_ntfs = 'all' GROUP BY user_id")
        return Dictionary(try rows.map { (try $0.int64("user_id"), Int(clamping: try $0.int64("n"))) }) { first, _ in first }
    }
}

extension ItemPlace {
    /// The chat's id in the counts.
    var countedAs: Int64 {
        switch self {
        case .contact(let id): id
        case .notes(let id): -id
        }
    }
}
