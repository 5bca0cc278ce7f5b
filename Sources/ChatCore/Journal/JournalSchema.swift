internal import SQLCipher

/// `events` holds the journal, `journal_meta` the epoch. AUTOINCREMENT, because a sequence number must never be used twice, not even
/// after retention has removed the last entry; a rolled back transaction gives its numbers back, so they have no gaps.
enum JournalSchema {
    static let migration = Migration(
        name: "20261121_journal",
        up: """
            CREATE TABLE journal_meta (epoch TEXT NOT NULL);
            INSERT INTO journal_meta (epoch) VALUES (lower(hex(randomblob(6))));
            CREATE TABLE events (
              seq INTEGER PRIMARY KEY AUTOINCREMENT,
              event_ts INTEGER NOT NULL,
              user_id INTEGER,
              event BLOB NOT NULL
            );
            """)

    /// Adds the subjects of entries, the audience of entries without a user, and the size of the journal.
    static let subjects = Migration(name: "20261122_journal_subjects") { db in
        try db.executeScript(
            """
            -- for entries without a user: the user that they are of, 0 for everybody; null when that is not known
            ALTER TABLE events ADD COLUMN audience INTEGER;
            -- the bytes of all entries up to this one, as they were written
            ALTER TABLE events ADD COLUMN stored_end INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE event_subjects (
              user_id INTEGER NOT NULL,
              -- as commands name it
              chat TEXT NOT NULL,
              -- 0 for the chat itself
              chat_item_id INTEGER NOT NULL,
              seq INTEGER NOT NULL,
              -- whether the entry says more than of the items of this chat
              says_more INTEGER NOT NULL,
              PRIMARY KEY (user_id, chat, chat_item_id, seq)
            ) WITHOUT ROWID;
            """)
        try EarlierEvents.index(db)
    }

    /// Marks a store whose entries may have a form that earlier programs cannot read, so that those programs do not
    /// open it.
    static let forms = Migration(name: "20261124_event_forms") { _ in }

    /// Adds the epoch of the journal from which the store was copied, and the last entry at that time.
    static let origin = Migration(
        name: "20261125_journal_origin",
        up: "ALTER TABLE journal_meta ADD COLUMN origin TEXT; ALTER TABLE journal_meta ADD COLUMN origin_end INTEGER;")
}
