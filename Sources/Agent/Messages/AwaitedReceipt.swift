import SQLCipher

/// A sent message whose receipt has not arrived yet.
enum AwaitedReceipt {
    static func insertRecord(_ connection: AgentConnection, at now: Int64, _ db: DatabaseConnection) throws {
        try db.insert(
            into: "awaited_receipts",
            [
                "conn_id": connection.id.bytes, "snd_id": connection.lastSndID,
                "internal_id": connection.lastInternalID, "hash": connection.lastSndHash, "sent_at": now,
            ]
        )
    }

    /// Finds the message for a peer's receipt, and stops awaiting its receipt. The result is nil for a message that was
    /// not sent, is too old, or has a receipt already.
    static func takeMessage(
        _ receipt: AMessageReceipt,
        on connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws -> MessageReceipt? {
        guard
            let row = try db.firstRow(
                "SELECT internal_id, hash FROM awaited_receipts WHERE conn_id = :conn_id AND snd_id = :snd_id",
                ["conn_id": connection.bytes, "snd_id": receipt.sndMsgId]
            )
        else { return nil }
        try db.execute(
            "DELETE FROM awaited_receipts WHERE conn_id = :conn_id AND snd_id = :snd_id",
            ["conn_id": connection.bytes, "snd_id": receipt.sndMsgId]
        )
        let id = try row.int64("internal_id")
        let externalID = try db.firstRow(
            "SELECT external_id FROM snd_messages WHERE conn_id = :conn_id AND internal_id = :internal_id",
            ["conn_id": connection.bytes, "internal_id": id]
        )?.stringOrNil("external_id")
        return MessageReceipt(messageID: id, externalID: externalID, isIntact: try row.blob("hash") == receipt.msgHash)
    }
}
