import JSON
import SMP
package import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Makes a database for the agent of the official apps (7.0) from a database of this program.
    /// - Parameters:
    ///   - database: the database of this program. Nothing else may use this database during the export.
    ///   - scratch: path at which the unencrypted database is made. The function then encrypts it with the passphrase,
    ///     and writes it to `target`. Neither path may exist yet.
    package static func exportForApps(
        _ database: Database,
        scratch: String,
        to target: String,
        passphrase: String
    ) async throws -> MovedCounts {
        try await database.read { db in
            let maker = try AppDatabaseMaker(scratch: scratch, tables: AppAgentSchema.tables)
            var moving = AppAgentExport(db: db, app: try maker.connection)
            try moving.exportAll()
            try maker.writeFinishedDatabase(AppAgentSchema.indicesAndTriggers, to: target, passphrase: passphrase)
            return moving.counts
        }
    }
}

private struct AppAgentExport {
    let db: DatabaseConnection
    let appDatabase: DatabaseConnection
    var counts = MovedCounts()
    private static let epochText = "1970-01-01 00:00:00"

    init(db: DatabaseConnection, app: DatabaseConnection) {
        self.db = db
        self.appDatabase = app
    }

    mutating func exportAll() throws {
        for name in AppAgentMigrations.allNames {
            try appDatabase.insert(into: "migrations", ["name": name, "ts": Self.epochText])
        }
        // The app needs this row: without it, the app reports an error about its counters.
        try appDatabase.insert(into: "servers_stats", ["servers_stats_id": 1])
        for row in try db.query("SELECT * FROM users") {
            try appDatabase.insert(into: "users", ["user_id": row["user_id"], "deleted": row["deleted"]])
        }
        for row in try db.query("SELECT * FROM connections WHERE delete_when_sent = 0") {
            try exportConnection(AgentConnection(row))
        }
        counts.countOmitted("queues that were being deleted", try countRows("deleted_queues"))
        counts.countOmitted("confirmations of connections that are being made", try countRows("confirmations"))
        counts.countOmitted("received messages that were not handled", try countRows("rcv_messages"))
    }

    private func countRows(_ table: String) throws -> Int {
        try db.firstRow("SELECT count(*) AS n FROM \(table)")?.readCount("n") ?? 0
    }

    private mutating func exportConnection(_ connection: AgentConnection) throws {
        let id = Array(connection.id.text.utf8)
        try appDatabase.insert(
            into: "connections",
            [
                "conn_id": id, "conn_mode": connection.isAddress ? "CON" : "INV",
                "last_internal_msg_id": connection.lastInternalID,
                "last_internal_rcv_msg_id": max(0, connection.lastInternalID - connection.lastSndID),
                "last_internal_snd_msg_id": connection.lastSndID,
                "last_external_snd_msg_id": connection.lastExternalSndID, "last_rcv_msg_hash": connection.lastRcvHash,
                "last_snd_msg_hash": connection.lastSndHash, "smp_agent_version": connection.agentVersion,
                "duplex_handshake": 1, "enable_ntfs": 1, "user_id": connection.userID,
                "ratchet_sync_state": connection.ratchetSync.rawValue, "pq_support": connection.supportsPQ,
            ]
        )
        if connection.ratchet != nil || connection.e2eKeys != nil {
            try appDatabase.insert(
                into: "ratchets",
                [
                    "conn_id": id, "ratchet_state": connection.ratchet?.makeAppJSON().encodeText(),
                    "x3dh_priv_key_1": connection.e2eKeys?.key1.pkcs8,
                    "x3dh_priv_key_2": connection.e2eKeys?.key2.pkcs8,
                    "x3dh_pub_key_1": connection.e2eKeys?.key1.publicKey.spki,
                    "x3dh_pub_key_2": connection.e2eKeys?.key2.publicKey.spki,
                    "pq_priv_kem": try connection.e2eKeys?.kem?.encodeForApps(),
                ]
            )
        }
        try exportQueues(connection, id)
        try exportSkippedKeys(connection.id, id)
        for row in try db.query("SELECT hash FROM rcv_hashes WHERE conn_id = ?", connection.id.bytes) {
            try appDatabase.insert(into: "encrypted_rcv_message_hashes", ["conn_id": id, "hash": row["hash"]])
        }
        for row in try db.query("SELECT hash FROM ratchet_key_hashes WHERE conn_id = ?", connection.id.bytes) {
            try appDatabase.insert(into: "processed_ratchet_key_hashes", ["conn_id": id, "hash": row["hash"]])
        }
        try exportOutbox(connection.id, id)
        for row in try db.query("SELECT * FROM invitations WHERE conn_id = ?", connection.id.bytes) {
            try appDatabase.insert(
                into: "conn_invitations",
                [
                    "invitation_id": Array(Base64URL.encode(try row.blob("invitation_id")).utf8), "contact_conn_id": id,
                    "cr_invitation": Array(try row.string("request").utf8), "recipient_conn_info": [UInt8](),
                    "accepted": 0,
                ]
            )
            counts.countMoved("requests to addresses")
        }
        counts.countMoved("connections")
    }

    // MARK: Queues

    /// Adds a server to the database of the app.
    /// - Returns: host and port, and the key hash of the server.
    private func addServer(_ text: String) throws -> (host: String, port: String, hash: [UInt8]) {
        let server = try parseStoredServer(text)
        let (host, hash) = (
            server.hosts.map(\.str).joined(separator: ","), Array(Base64URL.encode(server.keyHash).utf8)
        )
        try appDatabase.insert(into: "servers", or: .ignore, ["host": host, "port": server.port, "key_hash": hash])
        return (host, server.port, hash)
    }

    private mutating func exportQueues(_ connection: AgentConnection, _ id: [UInt8]) throws {
        for row in try db.query(
            "SELECT * FROM rcv_queues WHERE conn_id = ? ORDER BY is_replacement",
            connection.id.bytes
        ) {
            guard try !row.bool("is_replacement") else {
                counts.countOmitted("changes of a queue that were not complete")
                continue
            }
            let server = try addServer(row.string("server")), queue = try RcvQueue(row)
            let link = try StoredLink.find(connection.id, db)
            try appDatabase.insert(
                into: "rcv_queues",
                [
                    "host": server.host, "port": server.port, "rcv_id": queue.rcvID, "conn_id": id,
                    "rcv_private_key": queue.key.pkcs8, "rcv_dh_secret": queue.dhSecret.rawRepresentation,
                    "e2e_priv_key": queue.e2ePrivateKey.pkcs8, "e2e_dh_secret": queue.e2eSecret?.rawRepresentation,
                    "snd_id": queue.sndID, "status": queue.status.rawValue, "smp_client_version": queue.clientVersion,
                    "rcv_queue_id": 1, "rcv_primary": 1, "server_key_hash": server.hash,
                    "link_id": link?.secrets.linkID, "link_key": link?.secrets.linkKey,
                    "link_priv_sig_key": link?.secrets.rootKey.pkcs8, "link_enc_fixed_data": link?.fixedData,
                    "queue_mode": row["mode"], "to_subscribe": 0,
                ]
            )
        }
        for row in try db.query(
            "SELECT * FROM snd_queues WHERE conn_id = ? ORDER BY is_replacement",
            connection.id.bytes
        ) {
            guard try !row.bool("is_replacement") else {
                counts.countOmitted("changes of a queue that were not complete")
                continue
            }
            let server = try addServer(row.string("server")), queue = try SndQueue(row)
            try appDatabase.insert(
                into: "snd_queues",
                [
                    "host": server.host, "port": server.port, "snd_id": queue.sndID, "conn_id": id,
                    "snd_private_key": queue.key.pkcs8, "e2e_dh_secret": queue.e2eSecret.rawRepresentation,
                    "status": queue.status.rawValue, "smp_client_version": queue.clientVersion,
                    "e2e_pub_key": queue.e2ePublicKey.spki, "snd_queue_id": 1, "snd_primary": 1,
                    "server_key_hash": server.hash, "queue_mode": row["mode"],
                ]
            )
        }
    }

    private func exportSkippedKeys(_ connection: ConnectionID, _ id: [UInt8]) throws {
        let rows = try db.query(
            "SELECT c.header_key, k.number, k.message_key FROM skipped_chains c JOIN skipped_keys k USING (chain_id) WHERE conn_id = ? ORDER BY chain_id, number",
            connection.bytes
        )
        for row in rows {
            let key = try MessageKey(stored: row.blob("message_key"))
            try appDatabase.insert(
                into: "skipped_messages",
                [
                    "conn_id": id, "header_key": row["header_key"], "msg_n": row["number"],
                    "msg_key": try key.encodeForApps(),
                ]
            )
        }
    }

    // MARK: Unsent messages

    private mutating func exportOutbox(_ connection: ConnectionID, _ id: [UInt8]) throws {
        for row in try db.query("SELECT * FROM snd_messages WHERE conn_id = ? ORDER BY internal_id", connection.bytes) {
            let message = try OutboxMessage(row)
            guard let type = message.kind.appMessageType, let key = message.encryptionKey,
                let length = message.paddedLength,
                case .message(let header, let content)? = try? AgentMessage(parsing: message.body)
            else {
                counts.countOmitted("unsent messages of connections that are being made")
                continue
            }
            try appDatabase.insert(into: "snd_message_bodies", ["agent_msg": try content.encoded()])
            let body = appDatabase.lastInsertRowID
            try appDatabase.insert(
                into: "messages",
                [
                    "conn_id": id, "internal_id": message.id, "internal_ts": Self.epochText,
                    "internal_snd_id": header.sndMsgId, "msg_type": type, "msg_flags": message.shouldNotify ? "T" : "F",
                    "pq_encryption": 0,
                ]
            )
            try appDatabase.insert(
                into: "snd_messages",
                [
                    "conn_id": id, "internal_snd_id": header.sndMsgId, "internal_id": message.id,
                    "internal_hash": Digest.sha256(message.body), "previous_msg_hash": header.prevMsgHash,
                    "msg_encrypt_key": try key.encodeForApps(), "padded_msg_len": length, "snd_message_body_id": body,
                ]
            )
            try appDatabase.insert(
                into: "snd_message_deliveries",
                [
                    "conn_id": id, "snd_queue_id": 1, "internal_id": message.id,
                ]
            )
            counts.countMoved("unsent messages")
        }
    }
}

extension OutboxMessage.Kind {
    fileprivate var appMessageType: [UInt8]? {
        let text: String? =
            switch self {
            case .hello: "H"
            case .message: "M"
            case .receipts: "V"
            case .queueContinue: "QC"
            case .queueAdd: "QA"
            case .queueKey: "QK"
            case .queueUse: "QU"
            case .queueTest: "QT"
            case .ratchetReady: "E"
            case .connInfo, .connInfoReply, .ratchetKey: nil
            }
        return text.map { Array($0.utf8) }
    }
}

extension MessageKey {
    fileprivate func encodeForApps() throws -> [UInt8] {
        var writer = ByteWriter(capacity: 50)
        writer.writeShortBytes(key.rawRepresentation)
        writer.writeShortBytes(iv)
        return try writer.finish()
    }
}

extension MessageEncryptionKey {
    fileprivate func encodeForApps() throws -> [UInt8] {
        var writer = ByteWriter(capacity: 320)
        writer.writeWord16(version.number)
        writer.writeShortBytes(associatedData)
        writer.writeRaw(try key.encodeForApps())
        writer.writeLargeBytes(header)
        return try writer.finish()
    }
}

extension E2EPrivateKeys.KEM {
    fileprivate func encodeForApps() throws -> [UInt8] {
        var writer = ByteWriter(capacity: 4200)
        switch self {
        case .proposed(let own):
            writer.writeASCII("P")
            writer.writeLargeBytes(own.publicKey.rawRepresentation)
            writer.writeLargeBytes(own.rawRepresentation.bytes)
        case .accepted(let ciphertext, let secret, let own):
            writer.writeASCII("A")
            writer.writeLargeBytes(ciphertext.rawRepresentation)
            writer.writeShortBytes(secret.bytes)
            writer.writeLargeBytes(own.publicKey.rawRepresentation)
            writer.writeLargeBytes(own.rawRepresentation.bytes)
        }
        return try writer.finish()
    }
}
