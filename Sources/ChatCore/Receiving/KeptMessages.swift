internal import SQLCipher

/// Received messages that nothing else shows, as they came: those that belong to rooms that are not built or that nobody knows, and those that were wrong.
/// What has been carried out is in its items, profiles and settings alone, so that it is gone when it is deleted there.
enum KeptMessages {
    /// Until now every message was kept, also after its item had been deleted. What waits to be sent is with its delivery.
    static let migration = Migration(
        name: "20261121_kept_messages",
        up: """
            ALTER TABLE deliveries ADD COLUMN msg_body BLOB;
            UPDATE deliveries SET msg_body = (SELECT m.msg_body FROM messages m WHERE m.message_id = deliveries.message_id)
              WHERE delivery_status = 'pending';
            ALTER TABLE messages RENAME TO messages_before;
            CREATE TABLE messages (
              message_id INTEGER PRIMARY KEY,
              connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
              chat_msg_event TEXT NOT NULL,
              msg_body BLOB NOT NULL,
              shared_msg_id BLOB,
              agent_msg_id INTEGER,
              created_at INTEGER NOT NULL
            );
            INSERT INTO messages SELECT message_id, connection_id, chat_msg_event, msg_body, shared_msg_id, agent_msg_id, created_at
              FROM messages_before WHERE msg_sent = 0 AND chat_msg_event NOT IN ('x.msg.new', 'x.msg.update', 'x.msg.del', 'x.msg.react', 'x.info',
                'x.direct.del', 'x.info.probe', 'x.info.probe.check');
            DROP TABLE messages_before;
            CREATE INDEX idx_messages_connection ON messages (connection_id);
            """)
}

extension ChatMessageEvent {
    /// Whether all that it says is carried out.
    var isCarriedOut: Bool {
        switch self {
        case .messageNew, .messageUpdate, .messageDelete, .messageReact, .info, .directDelete, .infoProbe, .infoProbeCheck: true
        case .fileDescription, .fileCancel, .contact, .ok, .infoProbeOk, .other: false
        }
    }
}

extension MessageReceiver {
    /// Keeps a message as it was received.
    func keep(_ body: [UInt8], event: String, sharedID: SharedMessageID?) throws {
        try tx.db.execute(
            "INSERT INTO messages (connection_id, chat_msg_event, msg_body, shared_msg_id, agent_msg_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            [connection.connectionId, event, body, sharedID?.bytes, meta.recipient.id, tx.now.nanoseconds])
    }
}
