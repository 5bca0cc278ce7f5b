import Clocks
package import ForeignData
package import SQLCipher
package import SimpleXCrypto
import SMP

extension Agent {
    /// Fills a new database with the rows of a source database, which another instance of this program has written. The
    /// function blocks.
    /// - Parameters:
    ///   - path: path of the new database, which must not exist yet.
    ///   - names: names of the migrations of the source database. ``migrate(databaseAt:key:)`` applies the later
    ///     migrations.
    /// - Returns: the names of the triggers, views and unknown tables of the source database, which were not read.
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
    ///   - names: names of the migrations of the app's database.
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
            indicesAndTriggers: AppAgentSchema.indicesAndTriggers
        )
        let others = try database.fillDatabase(filling, .forApps(), onStart: onStart)
        try filling.commitRows()
        return (try AppDatabase(path, key: key), others)
    }

    /// Fills a new database of the agent with the data of an agent of the apps.
    /// - Parameters:
    ///   - path: path of the new database, which must not exist yet.
    ///   - wanted: number of connections of the chat, and a function that returns whether a connection belongs to the
    ///     chat.
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

struct AppAgentImport {
    let app: AppDatabase
    let db: DatabaseConnection
    let wantedConnections: (count: Int, has: @Sendable (ConnectionID) throws -> Bool)
    var counts = MovedCounts()
    let now = WallClock.seconds()

    mutating func importAll() throws {
        try app.forEach("users", by: "user_id") { row in
            try db.insert(into: "users", ["user_id": row.int("user_id"), "deleted": row.flag("deleted")])
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
        try importConnectionState(row, id, name, user)
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

    private mutating func importConnectionState(
        _ row: AppRow,
        _ id: ConnectionID,
        _ name: [UInt8],
        _ user: Int64
    ) throws {
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

    /// Parses the KEM state of the app. `P` is followed by the public and the private key. `A` is followed by the
    /// ciphertext, the secret, the public key and the private key. Each value has its length before it.
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
}
