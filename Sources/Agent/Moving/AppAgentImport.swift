package import ForeignData
package import SQLCipher
package import SimpleXCrypto
import SMP

/// Counts of the imported and the omitted data of an app archive.
package struct MovedCounts: Sendable {
    /// Numbers of imported entries, by name.
    package private(set) var movedCounts: [String: Int] = [:]
    /// Numbers of entries that were not imported. The key describes the entries, with the reason.
    package private(set) var omittedCounts: [String: Int] = [:]

    package init() {}

    package mutating func countMoved(_ what: String, _ count: Int = 1) {
        if count > 0 { movedCounts[what, default: 0] += count }
    }
    package mutating func countOmitted(_ what: String, _ count: Int = 1) {
        if count > 0 { omittedCounts[what, default: 0] += count }
    }

    package mutating func addCounts(_ other: MovedCounts) {
        movedCounts.merge(other.movedCounts, uniquingKeysWith: +)
        omittedCounts.merge(other.omittedCounts, uniquingKeysWith: +)
    }
}

/// Reason why a database of the apps cannot be imported.
package enum AppArchiveError: Error, Hashable, Sendable {
    /// A later app version has written the database. This program does not know the migration.
    case newerDatabase(migration: String)
    /// An app version before 6.4 has written the database. The database lacks this migration.
    case olderDatabase(migration: String)
    /// A key, a queue or a message is invalid. The error does not contain the value, because it is a secret.
    case unreadable

    /// Checks the migrations of a database.
    /// - Parameters:
    ///   - names: names of the migrations of the database.
    ///   - known: the names of all known migrations.
    ///   - oldest: the migration that the database must have.
    package static func checkMigrations(_ names: Set<String>, known: [String], oldest: String) throws(AppArchiveError) {
        if let unknown = names.subtracting(known).min() { throw AppArchiveError.newerDatabase(migration: unknown) }
        guard names.contains(oldest) else { throw AppArchiveError.olderDatabase(migration: oldest) }
    }
}

extension Agent {
    /// Fills a new database with the rows of a database that another instance of this program has written. The function
    /// blocks.
    /// - Parameters:
    ///   - path: path of the new database, which must not exist yet.
    ///   - names: names of the migrations of the database. ``migrate(databaseAt:key:)`` applies the later migrations.
    /// - Returns: the names of the other parts of the database, which were not read.
    package static func fillDatabase(
        _ path: String,
        key: DatabaseKey,
        from database: ForeignDatabase,
        migrations names: Set<String>,
        onStart: (@escaping @Sendable () -> Void) -> Void
    ) throws -> [String] {
        let filling = try DatabaseFilling(at: path, key: key, migrations: AgentSchema.migrations, applied: names)
        let others = try database.fillDatabase(filling, AgentRules.databaseRules, onStart: onStart)
        try filling.commitRows()
        return others
    }

    /// Copies the rows of an app's agent into a new database with the app's tables. The function blocks.
    /// - Parameters:
    ///   - names: names of the migrations of the database.
    ///   - path: path of the new database, which must not exist yet.
    /// - Returns: the new database, and the names of triggers, views and unknown tables, which were not copied.
    package static func copyTables(
        ofApp database: ForeignDatabase,
        migrations names: Set<String>,
        to path: String,
        key: DatabaseKey,
        onStart: (@escaping @Sendable () -> Void) -> Void
    ) throws -> (database: AppDatabase, others: [String]) {
        try AppArchiveError.checkMigrations(
            names,
            known: AppAgentMigrations.allNames,
            oldest: AppAgentMigrations.oldestName
        )
        let filling = try DatabaseFilling(
            at: path,
            key: key,
            tables: AppAgentSchema.tables,
            rest: AppAgentSchema.indicesAndTriggers
        )
        let others = try database.fillDatabase(filling, .forApps(), onStart: onStart)
        try filling.commitRows()
        return (try AppDatabase(path, key: key), others)
    }

    /// Fills a new database of the agent with the data of an agent of the apps.
    /// - Parameters:
    ///   - path: path of the new database, which must not exist yet.
    ///   - wanted: number of connections of the chat, and a function that returns whether the chat has a connection.
    package static func importAppDatabase(
        _ app: AppDatabase,
        to path: String,
        key: DatabaseKey,
        connections wanted: (count: Int, has: @Sendable (ConnectionID) throws -> Bool)
    ) async throws -> MovedCounts {
        let database = try await Database.open(at: path, key: key, migrations: AgentSchema.migrations, readers: 1)
        do {
            let counts = try await database.write { db in
                var moving = AppAgentImport(app: app, db: db, wantedConnections: wanted)
                try moving.importAll()
                return moving.counts
            }
            await database.close()
            return counts
        } catch {
            await database.close()
            throw error is DatabaseError || error is AppArchiveError ? error : AppArchiveError.unreadable
        }
    }
}

private struct AppAgentImport {
    let app: AppDatabase
    let db: DatabaseConnection
    let wantedConnections: (count: Int, has: @Sendable (ConnectionID) throws -> Bool)
    var counts = MovedCounts()
    let now = currentSeconds()
    /// Maximal number of queues that are read for one connection.
    private static let maxQueues = 16

    mutating func importAll() throws {
        try app.forEach("users", by: "user_id") { row in
            try db.execute(
                "INSERT INTO users (user_id, deleted) VALUES (?, ?)",
                row.int("user_id"),
                row.flag("deleted")
            )
        }
        var known = 0
        try app.forEach("connections", by: "rowid") { row in
            guard let name = row.blob("conn_id") else { return }
            if let id = String(validating: name, as: UTF8.self).flatMap(ConnectionID.init(text:)),
                try wantedConnections.has(id)
            {
                known += 1
            }
            try importConnection(name)
        }
        counts.countOmitted("connections that the agent does not know", wantedConnections.count - known)
        counts.countOmitted(
            "files in transfer",
            try app.countRows("rcv_files", where: "status NOT IN ('complete', 'error') AND deleted = 0")
        )
        counts.countOmitted("notification tokens", try app.countRows("ntf_tokens"))
    }

    private mutating func importConnection(_ name: [UInt8]) throws {
        guard let text = String(validating: name, as: UTF8.self), let id = ConnectionID(text: text), id.text == text,
            let row = try app.query("SELECT * FROM connections WHERE conn_id = ?", name).first,
            let user = row.int("user_id")
        else { return counts.countOmitted("connections with invalid names") }
        let isDeleted = row.flag("deleted") || row.text("deleted_at_wait_delivery") != nil
        let queues = try app.query(
            """
            SELECT q.*, coalesce(q.server_key_hash, s.key_hash) AS hash FROM rcv_queues q JOIN servers s ON s.host = q.host AND s.port = q.port
            WHERE q.conn_id = ? ORDER BY q.rcv_primary DESC, q.replace_rcv_queue_id IS NULL DESC, q.rcv_queue_id DESC LIMIT \(Self.maxQueues)
            """,
            name
        )
        if isDeleted {
            for queue in queues { try importDeletedQueue(queue, id, user) }
            return
        }
        guard try wantedConnections.has(id) else {
            return counts.countOmitted("connections without a contact, member or link")
        }
        try importState(row, id, name, user)
        try importReceiveQueues(queues, id, user, isAddress: row.text("conn_mode") == "CON")
        try importSendQueues(name, id)
        try importSkippedKeys(name, id)
        try importHashes(name, id)
        try importOutbox(name, id)
        try importRequests(name, id)
        counts.countOmitted(
            "confirmations of connections that are being made",
            try app.countRows("conn_confirmations", where: "conn_id = ?", name)
        )
        counts.countOmitted(
            "commands that were not carried out",
            try app.countRows("commands", where: "conn_id = ?", name)
        )
        counts.countOmitted(
            "received messages that the app had not handled",
            try app.countRows("rcv_messages", where: "conn_id = ? AND user_ack = 0", name)
        )
        counts.countMoved("connections")
    }

    // MARK: The connection

    private mutating func importState(_ row: AppRow, _ id: ConnectionID, _ name: [UInt8], _ user: Int64) throws {
        let ratchet = try app.query("SELECT * FROM ratchets WHERE conn_id = ?", name).first
        var connection = AgentConnection(
            id: id,
            userID: user,
            agentVersion: UInt16(clamping: row.int("smp_agent_version") ?? 1),
            e2eKeys: nil,
            ratchet: nil,
            pqSupport: row.flag("pq_support")
        )
        if let state = ratchet?.blob("ratchet_state") {
            connection.ratchet = try Ratchet(app: state)
            counts.countMoved("ratchets")
        } else if let ratchet, let first = ratchet.blob("x3dh_priv_key_1"), let second = ratchet.blob("x3dh_priv_key_2")
        {
            connection.e2eKeys = E2EPrivateKeys(
                key1: try X448.PrivateKey(pkcs8: first),
                key2: try X448.PrivateKey(pkcs8: second),
                kem: try ratchet.blob("pq_priv_kem").flatMap(Self.parseKEM)
            )
        }
        connection.isAddress = row.text("conn_mode") == "CON"
        try connection.insert(db)
        connection.lastInternalID = row.int("last_internal_msg_id") ?? 0
        connection.lastSndID = row.int("last_internal_snd_msg_id") ?? 0
        connection.lastSndHash = row.blob("last_snd_msg_hash") ?? []
        connection.lastExternalSndID = row.int("last_external_snd_msg_id") ?? 0
        connection.lastRcvHash = row.blob("last_rcv_msg_hash") ?? []
        connection.ratchetSync = row.text("ratchet_sync_state").flatMap(RatchetSync.init) ?? .ok
        try connection.update(db)
    }

    /// Parses the KEM state of the app. `P` is followed by the public and the private key. `A` is followed by
    /// ciphertext, secret and both keys. Each value has its length before it.
    private static func parseKEM(_ bytes: [UInt8]) throws -> E2EPrivateKeys.KEM? {
        var reader = ByteReader(bytes)
        switch try reader.readByte() {
        case UInt8(ascii: "P"):
            _ = try reader.readLargeBytes()
            return .proposed(try SNTRUP761.PrivateKey(rawRepresentation: reader.readLargeBytes()))
        case UInt8(ascii: "A"):
            let ciphertext = try SNTRUP761.Ciphertext(rawRepresentation: reader.readLargeBytes())
            let secret = SecretBytes(try reader.readShortBytes())
            _ = try reader.readLargeBytes()
            return .accepted(ciphertext, secret, try SNTRUP761.PrivateKey(rawRepresentation: reader.readLargeBytes()))
        default: return nil
        }
    }

    // MARK: Queues

    private static func parseServer(_ row: AppRow) throws -> ProtocolServer {
        let port = row.text("port") ?? ""
        return try ProtocolServer(
            parsing: "smp://\(row.text("hash") ?? "")@\(row.text("host") ?? "")\(port.isEmpty ? "" : ":\(port)")"
        )
    }

    private mutating func importDeletedQueue(_ row: AppRow, _ id: ConnectionID, _ user: Int64) throws {
        guard let rcvID = row.blob("rcv_id"), let key = row.blob("rcv_private_key"),
            let secret = row.blob("rcv_dh_secret")
        else { return }
        try db.insert(
            into: "deleted_queues",
            or: .ignore,
            [
                "server": Self.parseServer(row).str, "rcv_id": rcvID, "conn_id": id.bytes, "user_id": user,
                "rcv_key": try AuthorizationPrivateKey(pkcs8: key).pkcs8,
                "rcv_dh_secret": try X25519.SharedSecret(rawRepresentation: secret).rawRepresentation,
                "deleted_at": now,
            ]
        )
    }

    private mutating func importReceiveQueues(
        _ rows: [AppRow],
        _ id: ConnectionID,
        _ user: Int64,
        isAddress: Bool
    ) throws {
        var hasPrimary = false, hasReplacement = false
        for row in rows {
            if row.flag("deleted") {
                try importDeletedQueue(row, id, user)
                continue
            }
            // A connection has one queue, and at most one replacement for it. Further queues are left out.
            let isReplacement = hasPrimary
            guard !isReplacement || (!hasReplacement && row.int("replace_rcv_queue_id") != nil) else {
                counts.countOmitted("further queues of a connection")
                continue
            }
            hasPrimary = true
            hasReplacement = hasReplacement || isReplacement
            try db.insert(
                into: "rcv_queues",
                [
                    "server": Self.parseServer(row).str, "rcv_id": row.blob("rcv_id"), "conn_id": id.bytes,
                    "rcv_key": try AuthorizationPrivateKey(pkcs8: row.blob("rcv_private_key") ?? []).pkcs8,
                    "rcv_dh_secret":
                        try X25519.SharedSecret(rawRepresentation: row.blob("rcv_dh_secret") ?? []).rawRepresentation,
                    "snd_id": row.blob("snd_id"), "mode": row.text("queue_mode"),
                    "e2e_private_key": try X25519.PrivateKey(pkcs8: row.blob("e2e_priv_key") ?? []).rawRepresentation,
                    "e2e_secret": try row.blob("e2e_dh_secret").map {
                        try X25519.SharedSecret(rawRepresentation: $0).rawRepresentation
                    },
                    "client_version": row.int("smp_client_version") ?? 1, "status": Self.parseStatus(row),
                    "is_replacement": isReplacement,
                    "switch_status": row.text("switch_status").flatMap(QueueSwitch.RcvStatus.init)?.rawValue,
                    "sender_key": isReplacement
                        ? try row.blob("snd_key").map { try AuthorizationKey(spki: $0).spki } : nil,
                ]
            )
            counts.countMoved("queues to receive from")
            if let linkKey = row.blob("link_key"), let rootKey = row.blob("link_priv_sig_key") {
                try db.insert(
                    into: "short_links",
                    or: .ignore,
                    [
                        "conn_id": id.bytes, "link_key": linkKey,
                        "root_key": try Ed25519.PrivateKey(pkcs8: rootKey).rawRepresentation,
                        "link_id": isAddress ? nil : row.blob("link_id"), "fixed_data": row.blob("link_enc_fixed_data"),
                    ]
                )
                counts.countMoved("short links")
            }
        }
    }

    private static func parseStatus(_ row: AppRow) -> String {
        (row.text("status").flatMap(QueueStep.init) ?? .active).rawValue
    }

    private mutating func importSendQueues(_ name: [UInt8], _ id: ConnectionID) throws {
        let rows = try app.query(
            """
            SELECT q.*, coalesce(q.server_key_hash, s.key_hash) AS hash FROM snd_queues q JOIN servers s ON s.host = q.host AND s.port = q.port
            WHERE q.conn_id = ? ORDER BY q.snd_primary DESC, q.replace_snd_queue_id IS NULL DESC, q.snd_queue_id DESC LIMIT \(Self.maxQueues)
            """,
            name
        )
        for (index, row) in rows.enumerated() {
            guard index == 0 || (index == 1 && row.int("replace_snd_queue_id") != nil) else {
                counts.countOmitted("further queues of a connection")
                continue
            }
            // Only confirmations need this key. If an old app has not stored the key, the queue needs no confirmation
            // any more.
            let publicKey =
                try row.blob("e2e_pub_key").map { try X25519.PublicKey(spki: $0).rawRepresentation }
                ?? [UInt8](repeating: 0, count: 32)
            try db.insert(
                into: "snd_queues",
                [
                    "conn_id": id.bytes, "server": Self.parseServer(row).str, "snd_id": row.blob("snd_id"),
                    "snd_key": try AuthorizationPrivateKey(pkcs8: row.blob("snd_private_key") ?? []).pkcs8,
                    "e2e_public_key": publicKey,
                    "e2e_secret":
                        try X25519.SharedSecret(rawRepresentation: row.blob("e2e_dh_secret") ?? []).rawRepresentation,
                    "mode": row.text("queue_mode"), "client_version": row.int("smp_client_version") ?? 1,
                    "status": Self.parseStatus(row), "is_replacement": index > 0,
                    "switch_status": row.text("switch_status").flatMap(QueueSwitch.SndStatus.init)?.rawValue,
                ]
            )
            counts.countMoved("queues to send to")
        }
    }

    // MARK: Messages

    private mutating func importSkippedKeys(_ name: [UInt8], _ id: ConnectionID) throws {
        var taken = 0
        try app.forEach("skipped_messages", by: "skipped_message_id", where: "conn_id = ?", name) { row in
            guard let header = row.blob("header_key"), header.count == 32, let number = row.int("msg_n"),
                let stored = row.blob("msg_key")
            else { return }
            let chain: Int64
            if let known = try db.firstRow(
                "SELECT chain_id FROM skipped_chains WHERE conn_id = ? AND header_key = ?",
                id.bytes,
                header
            )?.int64(0) {
                chain = known
            } else {
                try db.execute(
                    "INSERT INTO skipped_chains (conn_id, header_key, keys, kept_at) VALUES (?, ?, 0, ?)",
                    id.bytes,
                    header,
                    now
                )
                chain = db.lastInsertRowID
            }
            var reader = ByteReader(stored)
            try db.execute(
                "INSERT OR IGNORE INTO skipped_keys (chain_id, number, message_key) VALUES (?, ?, ?)",
                chain,
                number,
                try Self.parseMessageKey(&reader).storedForm
            )
            try db.execute("UPDATE skipped_chains SET keys = keys + ? WHERE chain_id = ?", db.changeCount, chain)
            taken += 1
        }
        counts.countMoved("keys of skipped messages", taken)
    }

    private static func parseMessageKey(_ reader: inout ByteReader) throws -> MessageKey {
        MessageKey(key: try SymmetricKey(rawRepresentation: reader.readShortBytes()), iv: try reader.readShortBytes())
    }

    private func importHashes(_ name: [UInt8], _ id: ConnectionID) throws {
        try app.forEach("encrypted_rcv_message_hashes", by: "encrypted_rcv_message_hash_id", where: "conn_id = ?", name)
        { row in
            try db.execute(
                "INSERT OR IGNORE INTO rcv_hashes (conn_id, hash, received_at) VALUES (?, ?, ?)",
                id.bytes,
                row.blob("hash"),
                now
            )
        }
        try app.forEach("processed_ratchet_key_hashes", by: "processed_ratchet_key_hash_id", where: "conn_id = ?", name)
        { row in
            try db.execute(
                "INSERT OR IGNORE INTO ratchet_key_hashes (conn_id, hash) VALUES (?, ?)",
                id.bytes,
                row.blob("hash")
            )
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
    private mutating func importOutbox(_ name: [UInt8], _ id: ConnectionID) throws {
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
                AgentPadding.lengths.contains(length), let body = row.blob("agent_msg"),
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

    private mutating func importRequests(_ name: [UInt8], _ id: ConnectionID) throws {
        var taken = 0
        try app.forEach("conn_invitations", by: "rowid", where: "contact_conn_id = ? AND accepted = 0", name) { row in
            guard let request = row.text("cr_invitation"), let invitation = row.blob("invitation_id") else { return }
            try db.execute(
                "INSERT OR IGNORE INTO invitations (invitation_id, conn_id, request, received_at) VALUES (?, ?, ?, ?)",
                (try? Base64URL.decode(invitation)) ?? invitation,
                id.bytes,
                request,
                now
            )
            taken += 1
        }
        counts.countMoved("requests to addresses", taken)
    }
}
