import SQLCipher

/// Tables of the files that the agent keeps until the caller is done with the files.
enum FileSchema {
    static let migration = Migration(name: "20261123_files", up: """
        CREATE TABLE file_servers (
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, position INTEGER NOT NULL, address TEXT NOT NULL,
          operator_id INTEGER, storage INTEGER NOT NULL, proxy INTEGER NOT NULL, PRIMARY KEY (user_id, position)) WITHOUT ROWID;
        CREATE TABLE snd_files (
          file_id BLOB PRIMARY KEY NOT NULL, user_id INTEGER NOT NULL REFERENCES users, created_at INTEGER NOT NULL,
          -- the file, or the text that is sent instead
          source_path TEXT, source_key BLOB, source_nonce BLOB, source_text BLOB,
          name TEXT NOT NULL, recipients INTEGER NOT NULL, key BLOB NOT NULL, nonce BLOB NOT NULL, redirect_size INTEGER, redirect_digest BLOB,
          status TEXT NOT NULL, contents_size INTEGER, digest BLOB, error TEXT);
        CREATE INDEX snd_files_user ON snd_files (user_id);
        -- chunks that exist on servers, with the ids and keys of their recipients one after the other
        CREATE TABLE snd_chunks (
          file_id BLOB NOT NULL REFERENCES snd_files ON DELETE CASCADE, number INTEGER NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL,
          server TEXT NOT NULL, replica_id BLOB NOT NULL, replica_key BLOB NOT NULL, recipients BLOB NOT NULL, uploaded INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (file_id, number)) WITHOUT ROWID;
        -- chunks still to be deleted on their server
        CREATE TABLE deleted_chunks (
          server TEXT NOT NULL, replica_id BLOB NOT NULL, user_id INTEGER NOT NULL, replica_key BLOB NOT NULL, deleted_at INTEGER NOT NULL,
          PRIMARY KEY (server, replica_id)) WITHOUT ROWID;
        CREATE TABLE rcv_files (
          file_id BLOB PRIMARY KEY NOT NULL, user_id INTEGER NOT NULL REFERENCES users, created_at INTEGER NOT NULL,
          target_path TEXT NOT NULL, local_key BLOB, local_nonce BLOB, approved INTEGER NOT NULL,
          -- of a redirect until it is followed, then of the file
          description TEXT NOT NULL, status TEXT NOT NULL, error TEXT);
        CREATE INDEX rcv_files_user ON rcv_files (user_id);
        -- chunks of the description that are in the work folder
        CREATE TABLE rcv_chunks (
          file_id BLOB NOT NULL REFERENCES rcv_files ON DELETE CASCADE, number INTEGER NOT NULL, PRIMARY KEY (file_id, number)) WITHOUT ROWID;
        """)

    static let seals = Migration(name: "20261127_path_seals", up: """
        ALTER TABLE snd_files ADD COLUMN source_seal BLOB;
        ALTER TABLE rcv_files ADD COLUMN target_seal BLOB;
        """)
}

/// The user's servers of files.
func storedFileServers(of user: AgentUserID, _ db: Connection) throws -> [AgentServer] {
    try db.query("SELECT * FROM file_servers WHERE user_id = ? ORDER BY position", user).map {
        AgentServer(
            try storedServer($0.string("address")), operatorID: try $0.int64OrNil("operator_id"), isStorage: try $0.bool("storage"),
            isProxy: try $0.bool("proxy"))
    }
}
