internal import SQLCipher
internal import SimpleXCrypto
import SMP

/// Imports the queues of a connection from an app's database.
extension AppAgentImport {
    /// Maximal number of queues that are read for one connection.
    static let maxQueues = 16

    private static func parseServer(_ row: AppRow) throws -> ProtocolServer {
        let port = row.text("port") ?? ""
        return try ProtocolServer(
            parsing: "smp://\(row.text("hash") ?? "")@\(row.text("host") ?? "")\(port.isEmpty ? "" : ":\(port)")"
        )
    }

    mutating func importDeletedQueue(_ row: AppRow, _ id: ConnectionID, _ user: Int64) throws {
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

    mutating func importReceiveQueues(
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
                    "client_version": row.int("smp_client_version") ?? 1, "status": Self.parseQueueStatus(row),
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

    private static func parseQueueStatus(_ row: AppRow) -> String {
        (row.text("status").flatMap(QueueStep.init) ?? .active).rawValue
    }

    mutating func importSendQueues(_ name: [UInt8], _ id: ConnectionID) throws {
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
                    "status": Self.parseQueueStatus(row), "is_replacement": index > 0,
                    "switch_status": row.text("switch_status").flatMap(QueueSwitch.SndStatus.init)?.rawValue,
                ]
            )
            counts.countMoved("queues to send to")
        }
    }
}
