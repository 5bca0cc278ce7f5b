import SQLCipher

/// Pushes: the device's token, and what each connection's queue has to do with the notification server.
enum NotificationSchema {
    static let migration = Migration(name: "20261123_notifications", up: """
        -- one at most
        CREATE TABLE ntf_token (
          slot INTEGER PRIMARY KEY CHECK (slot = 1), push_service TEXT NOT NULL, token TEXT NOT NULL, server TEXT NOT NULL,
          -- the server's id of it, once it is registered
          token_id BLOB, token_key BLOB NOT NULL, dh_key BLOB NOT NULL, dh_secret BLOB,
          status TEXT NOT NULL, action TEXT, code BLOB, mode TEXT NOT NULL,
          -- whether the server is still to be asked for pushes without news
          interval_due INTEGER NOT NULL DEFAULT 0);
        -- tokens still to be deleted on their server
        CREATE TABLE deleted_ntf_tokens (
          server TEXT NOT NULL, token_id BLOB NOT NULL, token_key BLOB NOT NULL, deleted_at INTEGER NOT NULL, PRIMARY KEY (server, token_id))
          WITHOUT ROWID;
        -- connections of which the chat wants no pushes
        CREATE TABLE muted_connections (conn_id BLOB PRIMARY KEY NOT NULL REFERENCES connections ON DELETE CASCADE) WITHOUT ROWID;
        CREATE TABLE ntf_subscriptions (
          queue_id INTEGER PRIMARY KEY AUTOINCREMENT, conn_id BLOB NOT NULL UNIQUE REFERENCES connections ON DELETE CASCADE,
          -- the queue whose notifier it is
          server TEXT NOT NULL, rcv_id BLOB NOT NULL, notifier_id BLOB, notifier_key BLOB, notifier_secret BLOB,
          -- under which token the notification server has it
          ntf_server TEXT NOT NULL, token_id BLOB, subscription_id BLOB, status TEXT NOT NULL,
          -- what is to be done next, not before this time
          action TEXT NOT NULL, action_at INTEGER NOT NULL,
          -- when the relay got the last message that has come, in seconds since 1970
          last_broker_ts INTEGER);
        CREATE INDEX ntf_subscriptions_notifier ON ntf_subscriptions (notifier_id);
        CREATE INDEX ntf_subscriptions_due ON ntf_subscriptions (action_at);
        """)
}
