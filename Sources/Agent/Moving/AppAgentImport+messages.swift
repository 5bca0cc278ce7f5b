internal import SQLCipher
internal import SimpleXCrypto
import SMP

/// Imports keys and hashes of messages, unsent messages, and requests from an app's database.
extension AppAgentImport {
    mutating func importSkippedKeys(_ name: [UInt8], _ id: ConnectionID) throws {
        var taken = 0
        try app.forEach("skipped_messages", by: "skipped_message_id", where: "conn_id = ?", name) { row in
            guard let header = row.blob("header_key"), header.count == 32, let number = row.int("msg_n"),
                let stored = row.blob("msg_key")
            else { return }
            let chain: Int64
            if let known = try db.firstRow(
                "SELECT chain_id FROM skipped_chains WHERE conn_id = :conn_id AND header_key = :header_key",
                ["conn_id": id.bytes, "header_key": header]
            )?.int64("chain_id") {
                chain = known
            } else {
                try db.insert(
                    into: "skipped_chains",
                    ["conn_id": id.bytes, "header_key": header, "keys": 0, "kept_at": now]
                )
                chain = db.lastInsertRowID
            }
            var reader = ByteReader(stored)
            try db.insert(
                into: "skipped_keys",
                or: .ignore,
                ["chain_id": chain, "number": number, "message_key": try Self.parseMessageKey(&reader).storedForm]
            )
            try db.execute(
                "UPDATE skipped_chains SET keys = keys + :added_keys WHERE chain_id = :chain_id",
                ["added_keys": db.changeCount, "chain_id": chain]
            )
            taken += 1
        }
        counts.countMoved("keys of skipped messages", taken)
    }

    private static func parseMessageKey(_ reader: inout ByteReader) throws -> MessageKey {
        MessageKey(key: try SymmetricKey(rawRepresentation: reader.readShortBytes()), iv: try reader.readShortBytes())
    }

    func importHashes(_ name: [UInt8], _ id: ConnectionID) throws {
        try app.forEach("encrypted_rcv_message_hashes", by: "encrypted_rcv_message_hash_id", where: "conn_id = ?", name)
        { row in
            try db.insert(
                into: "rcv_hashes",
                or: .ignore,
                ["conn_id": id.bytes, "hash": row.blob("hash"), "received_at": now]
            )
        }
        try app.forEach("processed_ratchet_key_hashes", by: "processed_ratchet_key_hash_id", where: "conn_id = ?", name)
        { row in
            try db.insert(into: "ratchet_key_hashes", or: .ignore, ["conn_id": id.bytes, "hash": row.blob("hash")])
        }
        try app.forEach("snd_messages", by: "rowid", where: "conn_id = ? AND rcpt_status IS NULL", name) { row in
            try db.insert(
                into: "awaited_receipts",
                or: .ignore,
                [
                    "conn_id": id.bytes, "snd_id": row.int("internal_snd_id"), "internal_id": row.int("internal_id"),
                    "hash": row.blob("internal_hash"), "sent_at": now,
                ]
            )
        }
    }

    /// Imports unsent messages, which have their numbers and keys already.
    mutating func importOutbox(_ name: [UInt8], _ id: ConnectionID) throws {
        var taken = 0, left = 0
        try app.forEach("messages", by: "internal_id", where: "conn_id = ?1 AND \(Self.unsentCondition)", name) {
            message in
            let row = try app.query(
                """
                SELECT m.internal_id, m.msg_type, m.msg_flags, s.internal_snd_id, s.previous_msg_hash, s.msg_encrypt_key, s.padded_msg_len, b.agent_msg
                FROM snd_messages s JOIN messages m USING (conn_id, internal_id)
                LEFT JOIN snd_message_bodies b USING (snd_message_body_id) WHERE m.conn_id = ? AND m.internal_id = ?
                """,
                name,
                message.int("internal_id")
            ).first
            guard let row else { return }
            guard let kind = row.text("msg_type").flatMap(Self.parseOutboxKind), let key = row.blob("msg_encrypt_key"),
                let length = row.int("padded_msg_len"),
                AgentPadding.paddedLengths.contains(length), let body = row.blob("agent_msg"),
                let number = row.int("internal_snd_id")
            else {
                left += 1
                return
            }
            let message = AgentMessage.message(
                AgentMessageHeader(sndMsgId: number, prevMsgHash: row.blob("previous_msg_hash") ?? []),
                try AMessage(parsing: body)
            )
            try db.insert(
                into: "snd_messages",
                [
                    "conn_id": id.bytes, "internal_id": row.int("internal_id"), "kind": kind.rawValue,
                    "notify": row.text("msg_flags")?.hasPrefix("T") ?? false,
                    "encryption_key": try Self.parseEncryptionKey(key).storedForm(), "padded_length": length,
                    "body": try message.encoded(), "created_at": now,
                ]
            )
            taken += 1
        }
        counts.countMoved("unsent messages", taken)
        counts.countOmitted("unsent messages of connections that are being made", left)
    }

    private static let unsentCondition =
        "internal_id IN (SELECT internal_id FROM snd_message_deliveries WHERE conn_id = ?1 AND failed = 0)"

    private static func parseEncryptionKey(_ stored: [UInt8]) throws -> MessageEncryptionKey {
        var reader = ByteReader(stored)
        let version = E2EVersion(try reader.readWord16()), associatedData = try reader.readShortBytes()
        let key = try parseMessageKey(&reader)
        return MessageEncryptionKey(
            version: version,
            key: key,
            associatedData: associatedData,
            header: try reader.readLargeBytes()
        )
    }

    private static func parseOutboxKind(_ type: String) -> OutboxMessage.Kind? {
        switch type {
        case "H": .hello
        case "M": .message
        case "V": .receipts
        case "QC": .queueContinue
        case "QA": .queueAdd
        case "QK": .queueKey
        case "QU": .queueUse
        case "QT": .queueTest
        case "E": .ratchetReady
        default: nil
        }
    }

    mutating func importRequests(_ name: [UInt8], _ id: ConnectionID) throws {
        var taken = 0
        try app.forEach("conn_invitations", by: "rowid", where: "contact_conn_id = ? AND accepted = 0", name) { row in
            guard let request = row.text("cr_invitation"), let invitation = row.blob("invitation_id") else { return }
            try db.insert(
                into: "invitations",
                or: .ignore,
                [
                    "invitation_id": (try? Base64URL.decode(invitation)) ?? invitation, "conn_id": id.bytes,
                    "request": request, "received_at": now,
                ]
            )
            taken += 1
        }
        counts.countMoved("requests to addresses", taken)
    }
}
