internal import SQLCipher

/// The tables of the trigram index.
///
/// Messages are grouped in spans by their ids. For each trigram (see `TrigramIndex`) and span there is the list of messages that have it, in
/// `search_small_lists` and `search_large_lists`; the lists of a trigram are adjacent. `search_spans` contains the usable spans; `search_totals`
/// the total size of each trigram's lists, so that those of rare trigrams are read first; `search_sizes` the same in one row, to be kept in
/// memory (see `SearchOutline`), with the Bloom filter (`BloomFilter`). Messages newer than all spans are checked without the index, and so are
/// those changed since their span was written (`search_changed`).
enum SearchSchema {
    /// The number of the span and the time ranges of its messages, by both clocks: the same in all layouts so far.
    private static let spanColumns = """
        is_large INTEGER NOT NULL, span INTEGER NOT NULL, first_ts INTEGER NOT NULL, last_ts INTEGER NOT NULL,
        first_created INTEGER NOT NULL, last_created INTEGER NOT NULL,
        """

    static let migration = Migration(
        name: "20261121_search",
        up: """
            CREATE TABLE search_grams (gram INTEGER NOT NULL, span INTEGER NOT NULL, items BLOB NOT NULL, PRIMARY KEY (gram, span)) WITHOUT ROWID;
            CREATE TABLE search_recent (span INTEGER NOT NULL, gram INTEGER NOT NULL, items BLOB NOT NULL, PRIMARY KEY (span, gram)) WITHOUT ROWID;
            CREATE TABLE search_spans (
              \(spanColumns)
              -- which pieces there are lists of, so that they can be taken away
              grams BLOB NOT NULL,
              PRIMARY KEY (is_large, span)
            ) WITHOUT ROWID;
            -- Ids below `covered` are in spans; changes of ids below `watched` are noted, because a span is being made of them.
            CREATE TABLE search_state (covered INTEGER NOT NULL, watched INTEGER NOT NULL);
            INSERT INTO search_state VALUES (0, 0);
            -- A change that is noted again gets a new number.
            CREATE TABLE search_changed (note INTEGER PRIMARY KEY AUTOINCREMENT, chat_item_id INTEGER NOT NULL UNIQUE);
            -- Spans that hold pieces of what is no longer there.
            CREATE TABLE search_stale (large_span INTEGER PRIMARY KEY);
            CREATE TRIGGER search_item_changed AFTER UPDATE OF item_text, user_id, contact_id, note_folder_id ON chat_items
            WHEN NEW.chat_item_id < (SELECT watched FROM search_state) BEGIN
              INSERT OR REPLACE INTO search_changed (chat_item_id) VALUES (NEW.chat_item_id);
              INSERT OR IGNORE INTO search_stale VALUES (NEW.chat_item_id / \(SearchSpan.large));
            END;
            CREATE TRIGGER search_item_deleted AFTER DELETE ON chat_items
            WHEN OLD.chat_item_id < (SELECT watched FROM search_state) BEGIN
              DELETE FROM search_changed WHERE chat_item_id = OLD.chat_item_id;
              INSERT OR IGNORE INTO search_stale VALUES (OLD.chat_item_id / \(SearchSpan.large));
            END;
            """)

    /// Triggers of the version in which an item has one key for its chat.
    static let triggers = """
        CREATE TRIGGER search_item_changed AFTER UPDATE OF item_text, user_id, chat_type, chat_id ON chat_items
        WHEN NEW.chat_item_id < (SELECT watched FROM search_state) BEGIN
          INSERT OR REPLACE INTO search_changed (chat_item_id) VALUES (NEW.chat_item_id);
          INSERT OR IGNORE INTO search_stale VALUES (NEW.chat_item_id / \(SearchSpan.large));
        END;
        CREATE TRIGGER search_item_deleted AFTER DELETE ON chat_items
        WHEN OLD.chat_item_id < (SELECT watched FROM search_state) BEGIN
          DELETE FROM search_changed WHERE chat_item_id = OLD.chat_item_id;
          INSERT OR IGNORE INTO search_stale VALUES (OLD.chat_item_id / \(SearchSpan.large));
        END;
        """

    /// Divides small spans into eighths, which are built again; keeps large spans, and rewrites them one by one to
    /// determine their disorder.
    static let totals = Migration(
        name: "20261121_search_totals",
        up: """
            ALTER TABLE search_spans RENAME TO search_spans_before;
            CREATE TABLE search_spans (
              \(spanColumns)
              -- by how much a message is at most later than one of a higher id; NULL: not known
              disorder_ts INTEGER,
              disorder_created INTEGER,
              PRIMARY KEY (is_large, span)
            ) WITHOUT ROWID;
            -- Which pieces a large span has lists of, so that they can be taken away.
            CREATE TABLE search_span_grams (span INTEGER PRIMARY KEY, grams BLOB NOT NULL);
            -- How many bytes the lists of a piece have in all large spans.
            CREATE TABLE search_totals (gram INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
            INSERT INTO search_spans SELECT 1, span, first_ts, last_ts, first_created, last_created, NULL, NULL FROM search_spans_before
              WHERE is_large = 1;
            INSERT INTO search_span_grams SELECT span, grams FROM search_spans_before WHERE is_large = 1;
            INSERT OR IGNORE INTO search_stale SELECT span FROM search_spans WHERE is_large = 1;
            INSERT INTO search_totals SELECT gram, sum(length(items)) FROM search_grams GROUP BY gram;
            DROP TABLE search_spans_before;
            DROP TABLE search_recent;
            CREATE TABLE search_recent (gram INTEGER NOT NULL, span INTEGER NOT NULL, items BLOB NOT NULL, PRIMARY KEY (gram, span)) WITHOUT ROWID;
            UPDATE search_state SET covered = (SELECT coalesce(max(span) + 1, 0) FROM search_spans) * \(SearchSpan.large);
            DELETE FROM search_changed WHERE chat_item_id >= (SELECT covered FROM search_state);
            """)

    /// Lists have a single integer as key. With the whole row as key, rows were also in inner pages of the tree, so each step down read one or
    /// two pages with lists of other trigrams.
    static let numberedLists = Migration(name: "20261121_search_numbered_lists") { db in
        // Earlier keys of chats had more bits than fit here.
        let chat = "~(((~gram >> 32) * \(TrigramIndex.chatsOfUser) + (~gram & \(0xffff_ffff))) & \(1 << TrigramIndex.chatBits - 1))"
        let gram = "CASE WHEN gram < 0 THEN \(chat) ELSE gram END"
        try db.executeScript(
            """
            CREATE TABLE search_large_lists (list INTEGER PRIMARY KEY, items BLOB NOT NULL);
            CREATE TABLE search_small_lists (list INTEGER PRIMARY KEY, items BLOB NOT NULL);
            INSERT INTO search_large_lists SELECT (\(gram)) * \(TrigramIndex.spanMask + 1) + span, items FROM search_grams;
            INSERT INTO search_small_lists SELECT (\(gram)) * \(TrigramIndex.spanMask + 1) + span, items FROM search_recent;
            DROP TABLE search_grams;
            DROP TABLE search_recent;
            ALTER TABLE search_totals RENAME TO search_totals_before;
            CREATE TABLE search_totals (gram INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
            INSERT INTO search_totals SELECT \(gram), bytes FROM search_totals_before;
            DROP TABLE search_totals_before;
            -- All totals together: see ListSizes.
            CREATE TABLE search_sizes (sizes BLOB NOT NULL);
            -- How often the spans and the sizes have changed.
            ALTER TABLE search_state ADD COLUMN spans_written INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE search_state ADD COLUMN sizes_written INTEGER NOT NULL DEFAULT 0;
            """)
        let totals = try db.query("SELECT gram, bytes FROM search_totals").map { (gram: try $0.int64(0), bytes: try $0.int64(1)) }
        try db.execute("INSERT INTO search_sizes VALUES (?)", [ListSizes(totals).stored])
        for row in try db.query("SELECT span, grams FROM search_span_grams") {
            let grams = StoredNumbers.decoded(try row.blob(1)).map { gram in
                gram < 0 ? TrigramIndex.chat(number: ~gram >> 32 &* TrigramIndex.chatsOfUser &+ (~gram & 0xffff_ffff)) : gram
            }
            try db.execute("UPDATE search_span_grams SET grams = ? WHERE span = ?", [StoredNumbers.encoded(grams), try row.int64(0)])
        }
    }

    static let runs = Migration(
        name: "20261121_search_runs",
        up: """
            -- See BloomFilter. Those of a span that was written before are learned behind the start.
            CREATE TABLE search_span_runs (span INTEGER PRIMARY KEY, runs BLOB NOT NULL);
            -- Those of all large spans together; NULL: not known of each of them.
            ALTER TABLE search_sizes ADD COLUMN runs BLOB;
            """)
}

/// A range of consecutive message ids.
struct SearchSpan: Sendable, Hashable {
    /// The number of ids in a small and a large span.
    static let small: Int64 = 128
    static let large: Int64 = 16_384

    let isLarge: Bool
    let number: Int64

    var size: Int64 { Self.size(isLarge) }
    var start: Int64 { number &* size }
    var end: Int64 { start &+ size }

    static func size(_ isLarge: Bool) -> Int64 { isLarge ? large : small }
}
