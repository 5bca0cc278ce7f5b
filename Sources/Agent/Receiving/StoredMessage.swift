import SQLCipher

/// A received message that the handler has not acknowledged.
struct StoredMessage: Sendable {
    var meta: MessageMeta
    var shouldNotify: Bool
    var body: [UInt8]

    init(meta: MessageMeta, notify: Bool, body: [UInt8]) {
        self.meta = meta
        self.shouldNotify = notify
        self.body = body
    }

    private init(_ row: Row) throws {
        meta = MessageMeta(
            integrity: MessageIntegrity(stored: try row.string("integrity")),
            recipientInfo: .init(id: try row.int64("internal_id"), timestampSeconds: try row.int64("internal_ts")),
            brokerInfo: .init(id: try row.blob("broker_id"), timestampSeconds: try row.int64("broker_ts")),
            sndMsgID: try row.int64("external_snd_id"),
            pqEncryption: try row.bool("pq_encryption")
        )
        shouldNotify = try row.bool("notify")
        body = try row.blob("body")
    }

    /// Stores the message for the handler.
    /// - Parameter hash: SHA-256 of the whole agent message.
    func insert(_ queue: RcvQueue, hash: [UInt8], _ db: DatabaseConnection) throws {
        try db.insert(
            into: "rcv_messages",
            [
                "conn_id": queue.connection.bytes, "internal_id": meta.recipientInfo.id, "server": queue.server.str,
                "rcv_id": queue.rcvID, "broker_id": meta.brokerInfo.id, "broker_ts": meta.brokerInfo.timestampSeconds,
                "internal_ts": meta.recipientInfo.timestampSeconds, "external_snd_id": meta.sndMsgID,
                "integrity": meta.integrity.storedForm, "notify": shouldNotify, "body": body,
                "pq_encryption": meta.pqEncryption,
                "hash": hash,
            ]
        )
    }

    /// Returns all stored messages as events. The relay may not deliver these messages again: it may be unreachable, or
    /// may have deleted expired messages.
    static func readEmissions(_ db: DatabaseConnection) throws -> [Emission] {
        try db.query("SELECT * FROM rcv_messages ORDER BY conn_id, internal_id").map { row in
            let stored = try StoredMessage(row)
            var emission = Emission(
                .message(
                    ConnectionID(bytes: try row.blob("conn_id")),
                    stored.meta,
                    notify: stored.shouldNotify,
                    body: stored.body
                )
            )
            emission.deliveryAttempts = try row.readClampedCount("attempts")
            return emission
        }
    }

    /// Adds `more` (1 or -1) to the number of starts that have delivered the message.
    static func changeAttemptCount(
        by more: Int64,
        _ connection: ConnectionID,
        _ id: AgentMessageID,
        _ db: DatabaseConnection
    ) throws {
        try db.execute(
            """
            UPDATE rcv_messages SET attempts = attempts + :added_attempts
            WHERE conn_id = :conn_id AND internal_id = :internal_id
            """,
            ["added_attempts": more, "conn_id": connection.bytes, "internal_id": id]
        )
    }

    static func isStored(_ brokerMessageID: [UInt8], _ queue: RcvQueue, _ db: DatabaseConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 AS stored FROM rcv_messages
            WHERE conn_id = :conn_id AND server = :server AND rcv_id = :rcv_id AND broker_id = :broker_id
            """,
            [
                "conn_id": queue.connection.bytes, "server": queue.server.str, "rcv_id": queue.rcvID,
                "broker_id": brokerMessageID,
            ]
        ) != nil
    }

    /// Returns the receipt for the sender of a message.
    static func makeReceipt(
        _ connection: ConnectionID,
        _ id: AgentMessageID,
        _ db: DatabaseConnection
    ) throws -> AMessageReceipt? {
        try db.firstRow(
            "SELECT external_snd_id, hash FROM rcv_messages WHERE conn_id = :conn_id AND internal_id = :internal_id",
            ["conn_id": connection.bytes, "internal_id": id]
        ).map { AMessageReceipt(sndMsgId: try $0.int64("external_snd_id"), msgHash: try $0.blob("hash"), info: []) }
    }

    static func remove(_ connection: ConnectionID, _ ids: [AgentMessageID], _ db: DatabaseConnection) throws {
        for id in ids {
            try db.execute(
                "DELETE FROM rcv_messages WHERE conn_id = :conn_id AND internal_id = :internal_id",
                ["conn_id": connection.bytes, "internal_id": id]
            )
        }
    }
}

extension MessageIntegrity {
    var storedForm: String {
        switch self {
        case .ok: "ok"
        case .skipped(let from, let to): "skipped \(from) \(to)"
        case .badID(let number): "badID \(number)"
        case .badHash: "badHash"
        case .duplicate: "duplicate"
        }
    }

    init(stored: String) {
        let words = stored.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int64($0) }
        self =
            switch (words.first, numbers.count) {
            case ("skipped", 2): .skipped(from: numbers[0], to: numbers[1])
            case ("badID", 1): .badID(number: numbers[0])
            case ("badHash", _): .badHash
            case ("duplicate", _): .duplicate
            default: .ok
            }
    }
}
