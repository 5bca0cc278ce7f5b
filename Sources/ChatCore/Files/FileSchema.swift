internal import ChatAPI
internal import JSON
internal import SQLCipher

/// The tables of files.
///
/// A file belongs to its item, and is deleted with it: a trigger records the remaining work on disk and of the agent.
enum FileSchema {
    static let migration = Migration(name: "20261123_files") { db in
        try db.executeScript(tables)
        try takeOverInvitations(db)
    }

    static let seals = Migration(name: "20261127_path_seals", up: "ALTER TABLE files ADD COLUMN path_seal BLOB;")

    private static let tables = """
        CREATE TABLE files (
          file_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          -- null for a file without a message
          chat_item_id INTEGER REFERENCES chat_items ON DELETE CASCADE,
          is_sent INTEGER NOT NULL,
          protocol TEXT NOT NULL,
          file_name TEXT NOT NULL,
          file_size INTEGER NOT NULL,
          chunk_size INTEGER NOT NULL,
          -- a name in the folder for files, or an absolute path
          file_path TEXT,
          file_key TEXT,
          file_nonce TEXT,
          -- CIFileStatus
          item_status TEXT NOT NULL,
          cancelled INTEGER NOT NULL DEFAULT 0,
          -- the file whose description this one carries
          redirect_for INTEGER REFERENCES files ON DELETE CASCADE,
          -- how the agent knows it, and whether the agent has nothing more to do with it
          agent_file_id TEXT UNIQUE,
          agent_done INTEGER NOT NULL DEFAULT 0,
          -- FileTask
          task INTEGER NOT NULL DEFAULT 0,
          -- sent: for how many, and the description by which it can be deleted from the servers
          recipients INTEGER NOT NULL DEFAULT 0,
          sender_descr TEXT,
          -- received: FileStatus, and by whom
          transfer_status TEXT NOT NULL DEFAULT 'new',
          group_member_id INTEGER,
          to_receive INTEGER NOT NULL DEFAULT 0,
          approved_relays INTEGER NOT NULL DEFAULT 0,
          descr_id INTEGER,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        );
        CREATE INDEX idx_files_item ON files (chat_item_id) WHERE chat_item_id IS NOT NULL;
        CREATE INDEX idx_files_user ON files (user_id);
        CREATE INDEX idx_files_path ON files (file_path) WHERE file_path IS NOT NULL;
        CREATE INDEX idx_files_task ON files (task) WHERE task <> 0;
        CREATE INDEX idx_files_redirect ON files (redirect_for) WHERE redirect_for IS NOT NULL;
        -- From which a file can be received. It comes in parts.
        CREATE TABLE file_descriptions (
          descr_id INTEGER PRIMARY KEY AUTOINCREMENT,
          file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
          descr_text TEXT NOT NULL,
          part_no INTEGER NOT NULL,
          is_complete INTEGER NOT NULL
        );
        CREATE INDEX idx_file_descriptions_file ON file_descriptions (file_id);
        -- The recipients of a sent file, each with a description of its own.
        CREATE TABLE snd_files (
          snd_file_id INTEGER PRIMARY KEY,
          file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
          -- a connection, or a member who waits for one
          connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
          group_member_id INTEGER,
          descr_id INTEGER,
          file_status TEXT NOT NULL DEFAULT 'new',
          -- the message with the last part of the description
          delivery_id INTEGER
        );
        CREATE INDEX idx_snd_files_file ON snd_files (file_id);
        CREATE INDEX idx_snd_files_connection ON snd_files (connection_id) WHERE connection_id IS NOT NULL;
        CREATE INDEX idx_snd_files_delivery ON snd_files (delivery_id) WHERE delivery_id IS NOT NULL;
        -- Files on disk that nothing has taken yet, and whose they are.
        CREATE TABLE uploads (
          file_path TEXT NOT NULL PRIMARY KEY,
          user_id INTEGER NOT NULL,
          created_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        -- What is left of files that are gone: to be deleted from the disk, by the agent, and from the servers.
        CREATE TABLE retired_files (
          retired_id INTEGER PRIMARY KEY AUTOINCREMENT,
          file_path TEXT,
          agent_file_id TEXT,
          is_sent INTEGER NOT NULL,
          sender_descr TEXT,
          agent_user_id INTEGER
        );
        CREATE TRIGGER file_gone AFTER DELETE ON files WHEN OLD.file_path IS NOT NULL OR OLD.agent_file_id IS NOT NULL AND OLD.agent_done = 0 BEGIN
          INSERT INTO retired_files (file_path, agent_file_id, is_sent) VALUES (
            OLD.file_path, CASE WHEN OLD.agent_done = 0 THEN OLD.agent_file_id END, OLD.is_sent);
        END;
        CREATE TRIGGER uploads_unowned AFTER DELETE ON users BEGIN
          INSERT INTO retired_files (file_path, is_sent) SELECT file_path, 1 FROM uploads WHERE user_id = OLD.user_id;
          DELETE FROM uploads WHERE user_id = OLD.user_id;
        END;
        ALTER TABLE chat_items ADD COLUMN file_id INTEGER;
        """

    /// Takes over offers from the time before files were supported. Only the offer was stored, so these files cannot be
    /// received any more.
    private static func takeOverInvitations(_ db: StoreConnection) throws {
        let offers = try db.query(
            "SELECT chat_item_id, user_id, author_member_id, file_invitation, created_at FROM chat_items WHERE file_invitation IS NOT NULL")
        for offer in offers {
            let text = try offer.string("file_invitation")
            let invitation = (try? JSONValue(parsing: text, limits: .ownText)).flatMap { try? JSONDecoder().decode(FileInvitation.self, from: $0) }
            let (itemId, createdAt) = (try offer.int64("chat_item_id"), try offer.int64("created_at"))
            try db.execute(
                """
                INSERT INTO files (user_id, chat_item_id, is_sent, protocol, file_name, file_size, chunk_size, item_status, cancelled, transfer_status,
                  group_member_id, created_at, updated_at) VALUES (?, ?, 0, 'xftp', ?, ?, ?, ?, 1, 'cancelled', ?, ?, ?)
                """,
                [
                    try offer.int64("user_id"), itemId, FileName.shown(invitation?.fileName ?? ""), invitation?.fileSize ?? 0, FileRecord.chunkSize,
                    #"{"type":"rcvCancelled"}"#, try offer.int64OrNil("author_member_id"), createdAt, createdAt,
                ])
            try db.execute("UPDATE chat_items SET file_id = ?, file_invitation = NULL WHERE chat_item_id = ?", [db.lastInsertRowID, itemId])
        }
    }
}
