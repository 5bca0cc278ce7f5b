internal import SQLCipher

/// The tables by which messages are found by what is in them.
///
/// Messages are taken together in spans by their ids. For each piece of text (see `Grams`) there is the list of the messages of a span that have it:
/// for small spans in `search_recent`, where the whole span is read or deleted at once; for large ones in `search_grams`, where all lists of a piece are
/// beside each other. `search_spans` says which spans can be used. What is newer than all spans is looked through without an index, and so is what was
/// changed since its span was written (`search_changed`).
enum SearchSchema {
    static let migration = Migration(
        name: "20261121_search",
        up: """
            CREATE TABLE search_grams (gram INTEGER NOT NULL, span INTEGER NOT NULL, items BLOB NOT NULL, PRIMARY KEY (gram, span)) WITHOUT ROWID;
            CREATE TABLE search_recent (span INTEGER NOT NULL, gram INTEGER NOT NULL, items BLOB NOT NULL, PRIMARY KEY (span, gram)) WITHOUT ROWID;
            CREATE TABLE search_spans (
              is_large INTEGER NOT NULL,
              span INTEGER NOT NULL,
              -- the first and the last moment of its messages, by either clock
              first_ts INTEGER NOT NULL,
              last_ts INTEGER NOT NULL,
              first_created INTEGER NOT NULL,
              last_created INTEGER NOT NULL,
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
}

/// Messages whose ids are beside each other.
struct SearchSpan: Sendable, Hashable {
    /// How many ids a small and a large span have.
    static let small: Int64 = 1_024
    static let large: Int64 = 16_384

    let isLarge: Bool
    let number: Int64

    var size: Int64 { isLarge ? Self.large : Self.small }
    var start: Int64 { number &* size }
    var end: Int64 { start &+ size }
}
