internal import ChatAPI
internal import SQLCipher
internal import SimpleXCrypto

/// Probes detect whether two of a user's contacts, or a contact and a member of a group, are the same person: a peer that gets a probe over one
/// connection and its hash over another got both from the same sender (simplex-chat `docs/protocol/simplex-chat.md`, "Probing for duplicate
/// contacts").
enum Probes {
    static let migration = Migration(name: "20261121_probes", up: """
        CREATE TABLE received_probes (
          received_probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL,
          contact_id INTEGER NOT NULL,
          -- nil when only its hash has come
          probe BLOB,
          probe_hash BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
        );
        CREATE INDEX idx_received_probes_hash ON received_probes (user_id, probe_hash);
        CREATE INDEX idx_received_probes_contact ON received_probes (user_id, contact_id);
        """)

    /// How long a probe waits for its hash, or a hash for its probe: two weeks. And how many of one contact do.
    private static let memorySeconds: Int64 = 14 * 86400
    private static let limit = 20

    /// Sends a probe to a contact that the user has invited. Its hash is sent to nobody: it would go to group members with the contact's
    /// profile, and groups do not exist here yet. So a contact's answer (`x.info.probe.ok`) never matches.
    static func send(to contact: ContactRecord, over connection: ConnectionRecord, _ tx: Transaction) throws {
        // As many characters as a peer's probe: base64 of 32 bytes, whose characters are the bytes of the probe.
        let probe = Array(Base64.encode(RandomBytes.make(count: 32)).utf8)
        try tx.enqueue(ChatMessage(event: .infoProbe(probe: Base64URL.encode(probe))), to: connection)
    }

    /// A probe has come: a contact that has sent its hash before is merged with this one.
    static func received(_ text: String, from contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        guard let probe = try? Base64URL.decode(text), !contact.isIncognito, try ContactMerging.isEnabled(tx.db) else { return }
        let hash = Digest.sha256(probe)
        let row = try tx.db.first(
            "SELECT contact_id FROM received_probes WHERE user_id = ? AND probe_hash = ? AND probe IS NULL ORDER BY received_probe_id LIMIT 1",
            [user.userId, hash])
        try keep(probe, hash, contact, tx)
        guard let other = try row?.int64("contact_id"), let earlier = try ContactRecord.find(other, user: user.userId, in: tx.db) else { return }
        try match(earlier, contact, text, receiving: &contact, user, tx)
    }

    /// The hash of a probe has come: a contact that has sent the probe itself is merged with this one.
    static func receivedHash(_ text: String, from contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        guard let hash = try? Base64URL.decode(text), !contact.isIncognito, try ContactMerging.isEnabled(tx.db) else { return }
        let row = try tx.db.first(
            """
            SELECT contact_id, probe FROM received_probes WHERE user_id = ? AND probe_hash = ? AND probe IS NOT NULL
            ORDER BY received_probe_id LIMIT 1
            """, [user.userId, hash])
        try keep(nil, hash, contact, tx)
        guard let row, let prober = try ContactRecord.find(row.int64("contact_id"), user: user.userId, in: tx.db) else { return }
        try match(contact, prober, Base64URL.encode(try row.blob("probe")), receiving: &contact, user, tx)
    }

    private static func keep(_ probe: [UInt8]?, _ hash: [UInt8], _ contact: ContactRecord, _ tx: Transaction) throws {
        try tx.db.execute(
            "INSERT INTO received_probes (user_id, contact_id, probe, probe_hash, created_at) VALUES (?, ?, ?, ?, ?)",
            [contact.userId, contact.contactId, probe, hash, tx.now.nanoseconds])
        try tx.db.execute(
            """
            DELETE FROM received_probes WHERE user_id = ? AND contact_id = ? AND (created_at < ? OR received_probe_id <=
              (SELECT received_probe_id FROM received_probes WHERE user_id = ? AND contact_id = ? ORDER BY received_probe_id DESC LIMIT 1 OFFSET ?))
            """,
            [
                contact.userId, contact.contactId, tx.now.adding(seconds: -memorySeconds).nanoseconds, contact.userId, contact.contactId,
                Int64(limit),
            ])
    }

    /// `checked` has sent the hash of what `prober` has sent: where they also look the same, the sender learns it and they become one.
    private static func match(
        _ checked: ContactRecord, _ prober: ContactRecord, _ probe: String, receiving contact: inout ContactRecord, _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard checked.contactId != prober.contactId, !checked.isIncognito, !prober.isIncognito, checked.profile.isSamePerson(as: prober.profile),
            checked.isActive, prober.isActive, let connection = checked.connection, connection.canSend
        else { return }
        try tx.enqueue(ChatMessage(event: .infoProbeOk(probe: probe)), to: connection)
        if let merged = try ContactMerging.merge(checked, prober, user, tx) {
            contact = merged
        }
    }
}

extension Profile {
    /// The parts of a profile by which people recognize each other.
    fileprivate func isSamePerson(as other: Profile) -> Bool {
        displayName == other.displayName && fullName == other.fullName && image == other.image
    }
}
