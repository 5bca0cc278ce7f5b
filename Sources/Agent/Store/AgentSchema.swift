import SQLCipher

/// The agent's database. Keys and messages are stored without encryption of their own: the whole file is encrypted.
enum AgentSchema {
    static let migrations = [
        Migration(name: "20261121_agent", up: """
            CREATE TABLE users (user_id INTEGER PRIMARY KEY AUTOINCREMENT, deleted INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE servers (
              user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, position INTEGER NOT NULL, address TEXT NOT NULL,
              PRIMARY KEY (user_id, position)) WITHOUT ROWID;
            CREATE TABLE connections (
              conn_id BLOB PRIMARY KEY NOT NULL, user_id INTEGER NOT NULL REFERENCES users,
              agent_version INTEGER NOT NULL, e2e_keys BLOB, ratchet BLOB,
              last_internal_id INTEGER NOT NULL DEFAULT 0,
              last_snd_id INTEGER NOT NULL DEFAULT 0, last_snd_hash BLOB NOT NULL DEFAULT x'',
              last_external_snd_id INTEGER NOT NULL DEFAULT 0, last_rcv_hash BLOB NOT NULL DEFAULT x'',
              -- the peer's key with which the receive queue is still to be secured (KEY), before HELLO is sent
              pending_sender_key BLOB,
              -- to be deleted when the outbox is empty
              delete_when_sent INTEGER NOT NULL DEFAULT 0);
            CREATE INDEX connections_user ON connections (user_id);
            CREATE TABLE rcv_queues (
              server TEXT NOT NULL, rcv_id BLOB NOT NULL, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
              rcv_key BLOB NOT NULL, rcv_dh_secret BLOB NOT NULL, snd_id BLOB NOT NULL, mode TEXT,
              e2e_private_key BLOB NOT NULL, e2e_secret BLOB, client_version INTEGER NOT NULL, status TEXT NOT NULL,
              PRIMARY KEY (server, rcv_id)) WITHOUT ROWID;
            CREATE INDEX rcv_queues_conn ON rcv_queues (conn_id);
            CREATE TABLE snd_queues (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, server TEXT NOT NULL, snd_id BLOB NOT NULL,
              snd_key BLOB NOT NULL, e2e_public_key BLOB NOT NULL, e2e_secret BLOB NOT NULL, mode TEXT,
              client_version INTEGER NOT NULL, status TEXT NOT NULL,
              PRIMARY KEY (conn_id, server, snd_id)) WITHOUT ROWID;
            CREATE TABLE skipped_keys (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, header_key BLOB NOT NULL, number INTEGER NOT NULL,
              message_key BLOB NOT NULL, PRIMARY KEY (conn_id, header_key, number)) WITHOUT ROWID;
            CREATE TABLE confirmations (
              confirmation_id BLOB PRIMARY KEY NOT NULL, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
              sender_key BLOB, reply_queue BLOB NOT NULL, own_info BLOB);
            CREATE INDEX confirmations_conn ON confirmations (conn_id);
            -- connection events that the handler has not returned from
            CREATE TABLE events (
              event_id INTEGER PRIMARY KEY AUTOINCREMENT, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
              kind TEXT NOT NULL, confirmation_id BLOB, conn_info BLOB);
            CREATE INDEX events_conn ON events (conn_id);
            CREATE TABLE rcv_messages (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, internal_id INTEGER NOT NULL,
              server TEXT NOT NULL, rcv_id BLOB NOT NULL, broker_id BLOB NOT NULL, broker_ts INTEGER NOT NULL, internal_ts INTEGER NOT NULL,
              external_snd_id INTEGER NOT NULL, integrity TEXT NOT NULL, notify INTEGER NOT NULL, body BLOB NOT NULL,
              PRIMARY KEY (conn_id, internal_id)) WITHOUT ROWID;
            -- what was received already, by the hash of its ciphertext
            CREATE TABLE rcv_hashes (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, hash BLOB NOT NULL, received_at INTEGER NOT NULL,
              PRIMARY KEY (conn_id, hash)) WITHOUT ROWID;
            CREATE TABLE snd_messages (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, internal_id INTEGER NOT NULL,
              kind TEXT NOT NULL, notify INTEGER NOT NULL, encryption_key BLOB, body BLOB NOT NULL, created_at INTEGER NOT NULL,
              PRIMARY KEY (conn_id, internal_id)) WITHOUT ROWID;
            -- messages accepted from the chat, by the chat's own id
            CREATE TABLE accepted_messages (
              external_id TEXT PRIMARY KEY NOT NULL, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
              internal_id INTEGER NOT NULL, accepted_at INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX accepted_messages_conn ON accepted_messages (conn_id);
            -- queues still to be deleted on their relay
            CREATE TABLE deleted_queues (
              server TEXT NOT NULL, rcv_id BLOB NOT NULL, conn_id BLOB NOT NULL, user_id INTEGER NOT NULL,
              rcv_key BLOB NOT NULL, rcv_dh_secret BLOB NOT NULL, PRIMARY KEY (server, rcv_id)) WITHOUT ROWID;
            """),
        // The chat core repeats a message only until it knows the outcome; until then the message is in the outbox.
        Migration(name: "20261121_external_ids", up: """
            ALTER TABLE snd_messages ADD COLUMN external_id TEXT;
            UPDATE snd_messages SET external_id = (
              SELECT external_id FROM accepted_messages a WHERE a.conn_id = snd_messages.conn_id AND a.internal_id = snd_messages.internal_id);
            CREATE UNIQUE INDEX snd_messages_external ON snd_messages (external_id);
            DROP TABLE accepted_messages;
            """),
        Migration(name: "20261121_addresses", up: """
            ALTER TABLE connections ADD COLUMN is_address INTEGER NOT NULL DEFAULT 0;
            -- requests to addresses on which nobody has decided
            CREATE TABLE invitations (
              invitation_id BLOB PRIMARY KEY NOT NULL, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
              request TEXT NOT NULL, received_at INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX invitations_conn ON invitations (conn_id);
            -- accepted requests whose invitations are still to be joined
            CREATE TABLE pending_joins (
              conn_id BLOB PRIMARY KEY NOT NULL REFERENCES connections ON DELETE CASCADE, request TEXT NOT NULL, conn_info BLOB NOT NULL) WITHOUT ROWID;
            """),
        Migration(name: "20261121_short_links", up: """
            CREATE TABLE short_links (
              conn_id BLOB PRIMARY KEY NOT NULL REFERENCES connections ON DELETE CASCADE, link_key BLOB NOT NULL, root_key BLOB NOT NULL) WITHOUT ROWID;
            """),
        // keys by which invitations were bound to this agent when their short links were read
        Migration(name: "20261121_invitation_links", up: """
            CREATE TABLE invitation_links (
              server TEXT NOT NULL, link_id BLOB NOT NULL, snd_key BLOB NOT NULL, snd_id BLOB, PRIMARY KEY (server, link_id)) WITHOUT ROWID;
            CREATE INDEX invitation_links_snd_id ON invitation_links (snd_id);
            """),
        Migration(name: "20261121_post_quantum", up: """
            ALTER TABLE connections ADD COLUMN pq_support INTEGER NOT NULL DEFAULT 0;
            -- decided when the message was numbered, since support may come between that and the sending
            ALTER TABLE snd_messages ADD COLUMN padded_length INTEGER;
            ALTER TABLE rcv_messages ADD COLUMN pq_encryption INTEGER NOT NULL DEFAULT 0;
            """),
        Migration(name: "20261121_receipts", up: """
            ALTER TABLE rcv_messages ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
            -- messages that were sent, by the number and hash with which a receipt names them
            CREATE TABLE awaited_receipts (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, snd_id INTEGER NOT NULL, internal_id INTEGER NOT NULL,
              hash BLOB NOT NULL, sent_at INTEGER NOT NULL, PRIMARY KEY (conn_id, snd_id)) WITHOUT ROWID;
            """),
        // what changing the data behind a short link needs, also for an invitation
        Migration(name: "20261121_own_link_data", up: """
            ALTER TABLE short_links ADD COLUMN link_id BLOB;
            ALTER TABLE short_links ADD COLUMN fixed_data BLOB;
            """),
        // the keys of invitation_links, for each user apart
        Migration(name: "20261121_invitation_keys", up: """
            CREATE TABLE invitation_keys (
              user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, server TEXT NOT NULL, link_id BLOB NOT NULL, snd_key BLOB NOT NULL,
              snd_id BLOB, created_at INTEGER NOT NULL, PRIMARY KEY (user_id, server, link_id)) WITHOUT ROWID;
            CREATE INDEX invitation_keys_snd_id ON invitation_keys (user_id, snd_id);
            INSERT INTO invitation_keys SELECT user_id, server, link_id, snd_key, snd_id, strftime('%s', 'now') FROM invitation_links, users;
            DROP TABLE invitation_links;
            """),
        Migration(name: "20261121_ratchet_sync", up: """
            ALTER TABLE connections ADD COLUMN ratchet_sync TEXT NOT NULL DEFAULT 'ok';
            -- the peer's keys for a new ratchet that were used already: each makes one ratchet only
            CREATE TABLE ratchet_key_hashes (
              conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, hash BLOB NOT NULL, PRIMARY KEY (conn_id, hash)) WITHOUT ROWID;
            """),
        // While a connection changes its queue, it also has the replacing one; the status is stored with the old one.
        Migration(name: "20261121_queue_rotation", up: """
            ALTER TABLE rcv_queues ADD COLUMN is_replacement INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE rcv_queues ADD COLUMN switch_status TEXT;
            -- the key with which the sender wants the replacement to be secured
            ALTER TABLE rcv_queues ADD COLUMN sender_key BLOB;
            ALTER TABLE snd_queues ADD COLUMN is_replacement INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE snd_queues ADD COLUMN switch_status TEXT;
            """),
        // receipts of messages that came before the peer's confirmation was answered
        Migration(name: "20261121_deferred_receipts", up: """
            CREATE TABLE deferred_receipts (
              receipt_id INTEGER PRIMARY KEY AUTOINCREMENT, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
              snd_id INTEGER NOT NULL, hash BLOB NOT NULL);
            CREATE INDEX deferred_receipts_conn ON deferred_receipts (conn_id);
            """),
        Migration(name: "20261121_server_roles", up: """
            ALTER TABLE servers ADD COLUMN operator_id INTEGER;
            ALTER TABLE servers ADD COLUMN storage INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE servers ADD COLUMN proxy INTEGER NOT NULL DEFAULT 1;
            """),
        Migration(name: "20261121_servers_stats", up: """
            CREATE TABLE servers_stats (
              user_id INTEGER NOT NULL, server TEXT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (user_id, server)) WITHOUT ROWID;
            CREATE TABLE servers_stats_start (started_at INTEGER NOT NULL);
            """),
        // keys for the peer's queue, until the answer to the confirmation can go there
        Migration(name: "20261121_allowed_queues", up: """
            ALTER TABLE confirmations ADD COLUMN snd_key BLOB;
            ALTER TABLE confirmations ADD COLUMN snd_e2e_public_key BLOB;
            ALTER TABLE confirmations ADD COLUMN snd_e2e_secret BLOB;
            """),
        Migration(name: "20261121_deletion_times", up: """
            ALTER TABLE deleted_queues ADD COLUMN deleted_at INTEGER NOT NULL DEFAULT 0;
            UPDATE deleted_queues SET deleted_at = strftime('%s', 'now');
            """),
        // notices of relays with blocked queues; without a time they do not expire
        Migration(name: "20261121_client_notices", up: """
            CREATE TABLE client_notices (
              server TEXT NOT NULL, rcv_id BLOB NOT NULL, ttl INTEGER, created_at INTEGER NOT NULL, PRIMARY KEY (server, rcv_id)) WITHOUT ROWID;
            """),
        // messages sent over a queue that is being replaced, which have to be sent over the new one too
        Migration(name: "20261121_repetition", up: "ALTER TABLE snd_messages ADD COLUMN repetition INTEGER NOT NULL DEFAULT 0"),
        DoneRequest.migration,
        // skipped message keys by chain, the older chains first, so that the oldest can go, and only the keys that a message needs are read
        Migration(name: "20261122_skipped_chains", up: """
            CREATE TABLE skipped_chains (
              chain_id INTEGER PRIMARY KEY, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, header_key BLOB NOT NULL,
              -- how many message keys there are, and when the last was added
              keys INTEGER NOT NULL, kept_at INTEGER NOT NULL, UNIQUE (conn_id, header_key));
            CREATE TABLE skipped_chain_keys (
              chain_id INTEGER NOT NULL REFERENCES skipped_chains ON DELETE CASCADE, number INTEGER NOT NULL, message_key BLOB NOT NULL,
              PRIMARY KEY (chain_id, number)) WITHOUT ROWID;
            INSERT INTO skipped_chains (conn_id, header_key, keys, kept_at)
              SELECT conn_id, header_key, count(*), strftime('%s', 'now') FROM skipped_keys GROUP BY conn_id, header_key;
            INSERT INTO skipped_chain_keys (chain_id, number, message_key)
              SELECT chain_id, number, message_key FROM skipped_keys JOIN skipped_chains USING (conn_id, header_key);
            DROP TABLE skipped_keys;
            ALTER TABLE skipped_chain_keys RENAME TO skipped_keys;
            """),
        // Number of delivery attempts of starts for data that an earlier run has left, and number of messages of a
        // queue that could not be stored.
        Migration(name: "20261122_attempts", up: """
            ALTER TABLE rcv_messages ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE events ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE rcv_queues ADD COLUMN refused_messages INTEGER NOT NULL DEFAULT 0;
            """),
        FileSchema.migration,
        Migration(name: "20261123_file_servers_stats", up: """
            CREATE TABLE file_servers_stats (
              user_id INTEGER NOT NULL, server TEXT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (user_id, server)) WITHOUT ROWID;
            """),
        NotificationSchema.migration,
        FileSchema.seals,
    ]

    /// Time for which received and sent messages are remembered, in seconds.
    static let memory: Int64 = 30 * 86_400

    static func forget(at now: Int64, _ db: Connection) throws {
        try db.execute("DELETE FROM rcv_hashes WHERE received_at < ?", now - memory)
        try db.execute("DELETE FROM awaited_receipts WHERE sent_at < ?", now - memory)
        try StoredSkippedKeys.forget(before: now - memory, db)
        try Repetition.forgetOld(at: now, db)
    }
}
