internal import SQLCipher

/// Changes all data of chats from columns for each kind of chat to one key: see ``ChatKey``.
///
/// A chat has no row of its own to which its data could refer. So a trigger deletes the data when the contact is
/// deleted.
enum ChatKeySchema {
    static let migration = Migration(
        name: "20261122_chat_keys", up: [dropped, items, versions, reactions, days, tags, names, triggers].joined(separator: "\n"))

    private static let contact = ChatKey.Kind.contact.rawValue, notes = ChatKey.Kind.notes.rawValue

    /// Triggers are dropped first: newer versions of SQLite rename a table also in the triggers that name it.
    private static let dropped = """
        DROP TRIGGER chat_items_uncounted;
        DROP TRIGGER chat_items_moved;
        DROP TRIGGER chat_items_read;
        DROP TRIGGER contacts_uncounted;
        DROP TRIGGER users_uncounted;
        DROP TRIGGER search_item_changed;
        DROP TRIGGER search_item_deleted;
        DROP TRIGGER contact_card_tagged;
        DROP TRIGGER contact_card_untagged;
        DROP TRIGGER contact_named;
        DROP TRIGGER contact_unnamed;
        DROP TRIGGER contact_renamed;
        DROP TRIGGER contact_profile_changed;
        """

    /// All columns except those of the chat, and of a forwarded item's origin.
    private static let kept = """
        chat_item_id, user_id, created_by_msg_id, item_sent, item_ts, item_status, item_content, msg_content, msg_content_tag, item_text, formatted_text,
        shared_msg_id, quoted_item, quoted_shared_msg_id, item_forwarded, forwarded_item_id, item_deleted, item_deleted_ts, item_edited, item_live,
        timed_ttl, timed_delete_at, via_proxy, file_invitation, created_at, updated_at
        """

    /// Items without a chat are dropped, since no client can see them.
    private static let items = """
        ALTER TABLE chat_items RENAME TO chat_items_before;
        DROP INDEX idx_chat_items_contact;
        DROP INDEX idx_chat_items_ts;
        DROP INDEX idx_chat_items_shared;
        DROP INDEX idx_chat_items_unread;
        DROP INDEX idx_chat_items_timed;
        DROP INDEX idx_chat_items_notes;
        DROP INDEX idx_chat_items_content;
        DROP INDEX idx_chat_items_notes_content;
        CREATE TABLE chat_items (
          chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          chat_type INTEGER NOT NULL,
          chat_id INTEGER NOT NULL,
          created_by_msg_id INTEGER,
          item_sent INTEGER NOT NULL,
          item_ts INTEGER NOT NULL,
          item_status TEXT NOT NULL,
          item_content TEXT NOT NULL,
          msg_content TEXT,
          msg_content_tag TEXT,
          item_text TEXT NOT NULL,
          formatted_text TEXT,
          shared_msg_id BLOB,
          quoted_item TEXT,
          quoted_shared_msg_id BLOB,
          item_forwarded TEXT,
          -- the chat and the item that it was taken from
          forwarded_chat_type INTEGER,
          forwarded_chat_id INTEGER,
          forwarded_item_id INTEGER,
          item_deleted INTEGER NOT NULL DEFAULT 0,
          item_deleted_ts INTEGER,
          item_edited INTEGER NOT NULL DEFAULT 0,
          item_live INTEGER,
          timed_ttl INTEGER,
          timed_delete_at INTEGER,
          via_proxy INTEGER,
          -- the file that the peer offers, as the message said it
          file_invitation TEXT,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        );
        INSERT INTO chat_items (chat_type, chat_id, forwarded_chat_type, forwarded_chat_id, \(kept))
          SELECT CASE WHEN contact_id IS NULL THEN \(notes) ELSE \(contact) END, coalesce(contact_id, note_folder_id),
            CASE WHEN forwarded_contact_id IS NOT NULL THEN \(contact) END, forwarded_contact_id, \(kept)
          FROM chat_items_before WHERE coalesce(contact_id, note_folder_id) IS NOT NULL ORDER BY chat_item_id;
        DELETE FROM sqlite_sequence WHERE name = 'chat_items';
        UPDATE sqlite_sequence SET name = 'chat_items' WHERE name = 'chat_items_before';
        """

    /// Versions refer to the items, so their reference is renamed with the table.
    private static let versions = """
        ALTER TABLE chat_item_versions RENAME TO chat_item_versions_before;
        DROP INDEX idx_chat_item_versions_item;
        CREATE TABLE chat_item_versions (
          chat_item_version_id INTEGER PRIMARY KEY AUTOINCREMENT,
          chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE,
          msg_content TEXT NOT NULL,
          item_version_ts INTEGER NOT NULL,
          created_at INTEGER NOT NULL
        );
        INSERT INTO chat_item_versions (chat_item_version_id, chat_item_id, msg_content, item_version_ts, created_at)
          SELECT chat_item_version_id, chat_item_id, msg_content, item_version_ts, created_at FROM chat_item_versions_before
          WHERE chat_item_id IN (SELECT chat_item_id FROM chat_items) ORDER BY chat_item_version_id;
        DELETE FROM sqlite_sequence WHERE name = 'chat_item_versions';
        UPDATE sqlite_sequence SET name = 'chat_item_versions' WHERE name = 'chat_item_versions_before';
        DROP TABLE chat_item_versions_before;
        DROP TABLE chat_items_before;
        CREATE INDEX idx_chat_item_versions_item ON chat_item_versions (chat_item_id);
        CREATE INDEX idx_chat_items_chat ON chat_items (user_id, chat_type, chat_id, created_at, chat_item_id);
        CREATE INDEX idx_chat_items_ts ON chat_items (user_id, item_ts, chat_item_id);
        CREATE INDEX idx_chat_items_shared ON chat_items (user_id, chat_type, chat_id, shared_msg_id);
        CREATE INDEX idx_chat_items_unread ON chat_items (user_id, chat_type, chat_id, created_at, chat_item_id) WHERE item_status = 'rcvNew';
        CREATE INDEX idx_chat_items_timed ON chat_items (timed_delete_at) WHERE timed_delete_at IS NOT NULL;
        CREATE INDEX idx_chat_items_content ON chat_items (user_id, chat_type, chat_id, msg_content_tag, created_at, chat_item_id)
          WHERE msg_content_tag IS NOT NULL;
        """

    private static let reactions = """
        ALTER TABLE chat_item_reactions RENAME TO chat_item_reactions_before;
        DROP INDEX idx_chat_item_reactions;
        CREATE TABLE chat_item_reactions (
          chat_item_reaction_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          chat_type INTEGER NOT NULL,
          chat_id INTEGER NOT NULL,
          shared_msg_id BLOB NOT NULL,
          reaction_sent INTEGER NOT NULL,
          reaction TEXT NOT NULL,
          reaction_ts INTEGER NOT NULL
        );
        INSERT INTO chat_item_reactions SELECT chat_item_reaction_id, user_id, \(contact), contact_id, shared_msg_id, reaction_sent, reaction, reaction_ts
          FROM chat_item_reactions_before ORDER BY chat_item_reaction_id;
        DELETE FROM sqlite_sequence WHERE name = 'chat_item_reactions';
        UPDATE sqlite_sequence SET name = 'chat_item_reactions' WHERE name = 'chat_item_reactions_before';
        DROP TABLE chat_item_reactions_before;
        CREATE UNIQUE INDEX idx_chat_item_reactions ON chat_item_reactions (user_id, chat_type, chat_id, shared_msg_id, reaction_sent, reaction);
        """

    private static let days = """
        ALTER TABLE chat_item_days RENAME TO chat_item_days_before;
        CREATE TABLE chat_item_days (
          user_id INTEGER NOT NULL,
          chat_type INTEGER NOT NULL,
          chat_id INTEGER NOT NULL,
          day INTEGER NOT NULL,
          items INTEGER NOT NULL,
          unread INTEGER NOT NULL,
          PRIMARY KEY (user_id, chat_type, chat_id, day)
        ) WITHOUT ROWID;
        INSERT INTO chat_item_days SELECT user_id, CASE WHEN chat < 0 THEN \(notes) ELSE \(contact) END, abs(chat), day, items, unread
          FROM chat_item_days_before WHERE chat IS NOT NULL;
        DROP TABLE chat_item_days_before;
        """

    private static let tags = """
        ALTER TABLE chat_tags_chats RENAME TO chat_tags_chats_before;
        DROP INDEX idx_chat_tags_chats_tag;
        CREATE TABLE chat_tags_chats (
          user_id INTEGER NOT NULL,
          chat_type INTEGER NOT NULL,
          chat_id INTEGER NOT NULL,
          chat_tag_id INTEGER NOT NULL REFERENCES chat_tags ON DELETE CASCADE,
          PRIMARY KEY (user_id, chat_type, chat_id, chat_tag_id)
        ) WITHOUT ROWID;
        INSERT INTO chat_tags_chats SELECT user_id, \(contact), contact_id, chat_tag_id FROM chat_tags_chats_before;
        DROP TABLE chat_tags_chats_before;
        CREATE INDEX idx_chat_tags_chats_tag ON chat_tags_chats (chat_tag_id);
        """

    /// A repeated change gets a new number. Chats that no longer exist stay noted.
    private static let names = """
        ALTER TABLE chat_names_changed RENAME TO chat_names_changed_before;
        CREATE TABLE chat_names_changed (
          note INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL,
          chat_type INTEGER NOT NULL,
          chat_id INTEGER NOT NULL,
          UNIQUE (user_id, chat_type, chat_id)
        );
        INSERT INTO chat_names_changed SELECT note, user_id, \(contact), contact_id FROM chat_names_changed_before ORDER BY note;
        DELETE FROM sqlite_sequence WHERE name = 'chat_names_changed';
        UPDATE sqlite_sequence SET name = 'chat_names_changed' WHERE name = 'chat_names_changed_before';
        DROP TABLE chat_names_changed_before;
        """

    private static let triggers = [ChatCounts.triggers, SearchSchema.triggers, ChatNames.triggers, ContactInfoCache.tagTriggers, deletion]
        .joined(separator: "\n")

    /// The counts are deleted last: deleting the items decreases them before.
    private static let deletion = """
        CREATE TRIGGER contact_chat_deleted AFTER DELETE ON contacts BEGIN
        \(["chat_items", "chat_item_reactions", "chat_tags_chats", "chat_item_days"].map { table in
            "DELETE FROM \(table) WHERE user_id = OLD.user_id AND chat_type = \(contact) AND chat_id = OLD.contact_id;"
        }.joined(separator: "\n"))
        END;
        CREATE TRIGGER users_uncounted AFTER DELETE ON users BEGIN
          DELETE FROM chat_item_days WHERE user_id = OLD.user_id;
        END;
        """
}
