/// Tags belong to a user; each chat of that user may have any number of them.
enum TagSchema {
    static let tables = """
        CREATE TABLE chat_tags (
          chat_tag_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          chat_tag_text TEXT NOT NULL,
          chat_tag_emoji TEXT,
          tag_order INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX idx_chat_tags_text ON chat_tags (user_id, chat_tag_text);
        CREATE UNIQUE INDEX idx_chat_tags_emoji ON chat_tags (user_id, chat_tag_emoji);
        CREATE TABLE chat_tags_chats (
          user_id INTEGER NOT NULL,
          contact_id INTEGER NOT NULL,
          chat_tag_id INTEGER NOT NULL REFERENCES chat_tags ON DELETE CASCADE,
          PRIMARY KEY (user_id, contact_id, chat_tag_id),
          FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
        ) WITHOUT ROWID;
        CREATE INDEX idx_chat_tags_chats_tag ON chat_tags_chats (chat_tag_id);
        """
}
