internal import SQLCipher

/// The numbers of items and of unread items for each chat and day, and the unread totals of each chat.
/// ``add(_:user:at:status:in:)`` counts a new item, and triggers count every later change, so that queries do not count
/// items. A day is 86,400 seconds of UTC, by the time that orders the items of the chat (``ItemOrder``).
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
            INSERT INTO chat_item_days SELECT user_id, \(chatBefore("i")), created_at / \(day), count(*), total(item_status = 'rcvNew')
              FROM chat_items i GROUP BY 1, 2, 3;
            UPDATE contacts SET unread_count = coalesce((SELECT sum(d.unread) FROM chat_item_days d
              WHERE d.user_id = contacts.user_id AND d.chat = contacts.contact_id), 0);
            CREATE INDEX idx_contacts_unread ON contacts (user_id, unread_count) WHERE unread_count > 0;
            CREATE TRIGGER chat_items_counted AFTER INSERT ON chat_items BEGIN
              \(countBefore("NEW", 1))
            END;
            CREATE TRIGGER chat_items_uncounted AFTER DELETE ON chat_items BEGIN
              \(countBefore("OLD", -1))
            END;
            CREATE TRIGGER chat_items_moved AFTER UPDATE OF user_id, contact_id, note_folder_id, created_at ON chat_items BEGIN
              \(countBefore("OLD", -1))
              \(countBefore("NEW", 1))
            END;
            CREATE TRIGGER chat_items_read AFTER UPDATE OF item_status ON chat_items
            WHEN (OLD.item_status = 'rcvNew') <> (NEW.item_status = 'rcvNew') AND OLD.user_id = NEW.user_id AND \(chatBefore("OLD")) = \(chatBefore("NEW")) BEGIN
              UPDATE chat_item_days SET unread = unread + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
                WHERE user_id = NEW.user_id AND chat = \(chatBefore("NEW")) AND day = NEW.created_at / \(day);
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

    private static func chatBefore(_ row: String) -> String { "coalesce(\(row).contact_id, -\(row).note_folder_id)" }

    private static func countBefore(_ row: String, _ sign: Int) -> String {
        """
        \(sign < 0 ? "" : "INSERT OR IGNORE INTO chat_item_days VALUES (\(row).user_id, \(chatBefore(row)), \(row).created_at / \(day), 0, 0);")
        UPDATE chat_item_days SET items = items + (\(sign)), unread = unread + (\(sign)) * (\(row).item_status = 'rcvNew')
          WHERE user_id = \(row).user_id AND chat = \(chatBefore(row)) AND day = \(row).created_at / \(day);
        UPDATE contacts SET unread_count = unread_count + (\(sign))
          WHERE \(row).item_status = 'rcvNew' AND user_id = \(row).user_id AND contact_id = \(row).contact_id;
        """
    }

    /// Allows summing the unread messages of users without reading the contacts.
    static let unreadWithNotifications = Migration(
        name: "20261121_unread_of_users",
        up: """
            DROP INDEX idx_contacts_unread;
            CREATE INDEX idx_contacts_unread ON contacts (user_id, unread_count, enable_ntfs) WHERE unread_count > 0;
            """)

    /// A new item is counted by ``add(_:user:at:status:in:)``: a trigger would make the database copy every page that
    /// its insertion changes, which costs as much as the insertion itself.
    static let withoutInsertTrigger = Migration(name: "20261121_chat_counts_of_new_items", up: "DROP TRIGGER chat_items_counted;")

    static let triggersDropped = """
        DROP TRIGGER chat_items_uncounted;
        DROP TRIGGER chat_items_moved;
        DROP TRIGGER chat_items_read;
        """

    /// Triggers of the version in which an item has one key for its chat.
    static let triggers = triggers(for: [withContacts])

    /// A table of chats whose rows contain the number of unread items.
    struct Owner: Sendable {
        let kind: ChatKey.Kind
        let table: String
        /// The column with the chat's id.
        let id: String
    }

    private static let withContacts = Owner(kind: .contact, table: "contacts", id: "contact_id")
    /// The owners in the version that introduced groups.
    static let withGroups = [withContacts, Owner(kind: .group, table: "groups", id: "group_id")]
    /// The owners in the version that introduced chats of members with the moderators.
    static let withSupport = withGroups + [Owner(kind: .support, table: "group_members", id: "group_member_id")]

    /// - Parameter time: the column that determines the day of an item.
    static func triggers(for owners: [Owner], by time: String = "created_at") -> String {
        """
        CREATE TRIGGER chat_items_uncounted AFTER DELETE ON chat_items BEGIN
          \(count("OLD", -1, owners, by: time))
        END;
        CREATE TRIGGER chat_items_moved AFTER UPDATE OF user_id, chat_type, chat_id, \(time) ON chat_items BEGIN
          \(count("OLD", -1, owners, by: time))
          \(count("NEW", 1, owners, by: time))
        END;
        CREATE TRIGGER chat_items_read AFTER UPDATE OF item_status ON chat_items
        WHEN (OLD.item_status = 'rcvNew') <> (NEW.item_status = 'rcvNew') AND OLD.user_id = NEW.user_id
          AND OLD.chat_type = NEW.chat_type AND OLD.chat_id = NEW.chat_id BEGIN
          UPDATE chat_item_days SET unread = unread + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
            WHERE \(day("NEW", by: time));
          \(owners.map { owner in
            """
            UPDATE \(owner.table) SET unread_count = unread_count + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
              WHERE \(chat("NEW", owner));
            """
          }.joined(separator: "\n"))
        END;
        """
    }

    private static func day(_ row: String, by time: String) -> String {
        "user_id = \(row).user_id AND chat_type = \(row).chat_type AND chat_id = \(row).chat_id AND day = \(row).\(time) / \(day)"
    }

    private static func chat(_ row: String, _ owner: Owner) -> String {
        "\(row).chat_type = \(owner.kind.rawValue) AND user_id = \(row).user_id AND \(owner.id) = \(row).chat_id"
    }

    /// Adds an item to the counts, or subtracts it.
    private static func count(_ row: String, _ sign: Int, _ owners: [Owner], by time: String) -> String {
        """
        \(sign < 0 ? "" : "INSERT OR IGNORE INTO chat_item_days VALUES (\(row).user_id, \(row).chat_type, \(row).chat_id, \(row).\(time) / \(day), 0, 0);")
        UPDATE chat_item_days SET items = items + (\(sign)), unread = unread + (\(sign)) * (\(row).item_status = 'rcvNew')
          WHERE \(day(row, by: time));
        \(owners.map { owner in
            """
            UPDATE \(owner.table) SET unread_count = unread_count + (\(sign))
              WHERE \(row).item_status = 'rcvNew' AND \(chat(row, owner));
            """
        }.joined(separator: "\n"))
        """
    }

    /// Counts an item that has been inserted.
    /// - Parameters:
    ///   - orderTs: the time that orders the items of the chat.
    ///   - status: the stored form.
    static func add(_ chat: ChatKey, user: Int64, at orderTs: Timestamp, status: String, in db: StoreConnection) throws {
        let unread: Int64 = status == ItemStatus.rcvNew.stored ? 1 : 0
        let key: [Argument] = [user] + chat.arguments + [orderTs.nanoseconds / day]
        try db.execute(
            """
            UPDATE OR FAIL chat_item_days SET items = items + 1, unread = unread + ?
            WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND day = ?
            """, [unread] + key)
        if db.changes == 0 {
            try db.execute("INSERT INTO chat_item_days (user_id, chat_type, chat_id, day, items, unread) VALUES (?, ?, ?, ?, 1, ?)", key + [unread])
        }
        guard unread > 0, let owner = withSupport.first(where: { $0.kind == chat.kind }) else { return }
        try db.execute("UPDATE OR FAIL \(owner.table) SET unread_count = unread_count + 1 WHERE user_id = ? AND \(owner.id) = ?", [user, chat.chatId])
    }

    /// The number of items, and of unread items, after an item in its chat. Whole days are already counted.
    static func following(_ item: ItemRecord, in chat: some Conversation, _ db: StoreConnection) throws -> (items: Int64, unread: Int64) {
        let ts = item.orderTs.nanoseconds
        let today = ts / day
        let later = try db.first(
            "SELECT sum(items) AS items, sum(unread) AS unread FROM chat_item_days WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND day > ?",
            chat.keyArguments + [today])
        let place = """
            FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND order_ts >= ? AND order_ts < ?
              AND (order_ts > ? OR chat_item_id > ?)
            """
        let arguments: [Argument] = chat.keyArguments + [ts, (today &+ 1) &* day, ts, item.itemId]
        func count(_ condition: String) throws -> Int64 {
            try db.first("SELECT count(*) AS n \(place) \(condition)", arguments)?.count("n") ?? 0
        }
        let (sameDay, unread) = (try count(""), try count("AND item_status = 'rcvNew'"))
        return (sameDay + (try later?.tallyOrNil("items") ?? 0), unread + (try later?.tallyOrNil("unread") ?? 0))
    }

    /// The number of unread items of a chat.
    static func unread(in chat: some Conversation, _ db: StoreConnection) throws -> Int64 {
        guard let owner = withSupport.first(where: { $0.kind == chat.key.kind }) else {
            return try db.first(
                "SELECT sum(unread) AS n FROM chat_item_days WHERE user_id = ? AND chat_type = ? AND chat_id = ?", chat.keyArguments)?
                .tallyOrNil("n") ?? 0
        }
        return try db.first("SELECT unread_count FROM \(owner.table) WHERE user_id = ? AND \(owner.id) = ?", [chat.userId, chat.key.chatId])?
            .tally("unread_count") ?? 0
    }

    /// The number of unread items in each user's chats with notifications.
    static func unreadOfUsers(_ db: StoreConnection) throws -> [Int64: Int] {
        let rows = try db.query(
            """
            SELECT user_id, sum(unread_count) AS n FROM (
            \(withGroups.map { "SELECT user_id, unread_count FROM \($0.table) WHERE unread_count > 0 AND enable_ntfs = 'all'" }.joined(separator: " UNION ALL "))
            ) GROUP BY user_id
            """)
        return Dictionary(try rows.map { (try $0.int64("user_id"), try $0.tally("n")) }) { first, _ in first }
    }
}
