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
}
