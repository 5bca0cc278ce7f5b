import SQLCipher
import SimpleXCrypto

/// The stored keys of skipped messages of one connection. Their number has a limit, since the peer decides how many
/// messages are skipped. Above the limit the oldest keys are deleted, and their messages cannot be decrypted if they
/// arrive later.
/// The original keeps all keys. With an honest peer, later messages arrive before an earlier message only in two cases:
/// during a queue rotation, or when a relay delivers a message again. In both cases the skipped messages belong to at
/// most one chain.
struct StoredSkippedKeys: SkippedKeyLookup {
    /// Maximal number of chains with skipped messages. A peer begins a chain with each message that answers a message
    /// of this side.
    static let chainLimit = 64
    /// Maximal number of message keys in all chains together. Before one message, at most a quarter of this number of
    /// messages may be missing.
    static let keyLimit = 4 * Int(SkippedMessageKeys.maxSkippedMessages)

    let connection: ConnectionID
    let db: DatabaseConnection

    // MARK: Lookup

    func headerKeys() throws(RatchetError) -> [SymmetricKey] {
        do {
            return try db.query(
                "SELECT header_key FROM skipped_chains WHERE conn_id = ? ORDER BY chain_id DESC",
                connection.bytes
            )
            .map { try SymmetricKey(rawRepresentation: try $0.blob("header_key")) }
        } catch { throw .unreadableStoredForm }
    }

    func messageKey(headerKey: SymmetricKey, number: UInt32) throws(RatchetError) -> MessageKey? {
        let row: Row?
        do {
            row = try db.firstRow(
                """
                SELECT message_key FROM skipped_chains JOIN skipped_keys USING (chain_id)
                WHERE conn_id = :conn_id AND header_key = :header_key AND number = :number
                """,
                ["conn_id": connection.bytes, "header_key": headerKey.rawRepresentation, "number": Int64(number)]
            )
        } catch { throw .unreadableStoredForm }
        guard let row else { return nil }
        guard let stored = try? row.blob("message_key") else { throw .unreadableStoredForm }
        return try MessageKey(stored: stored)
    }

    // MARK: Changes

    /// Stores a change of the skipped keys, and deletes the oldest keys above the limits.
    /// - Parameter now: seconds since 1970.
    func applyChange(_ change: SkippedKeysChange, at now: Int64) throws {
        switch change {
        case .none: return
        case .add(let added):
            for chain in added.chains { try addChain(chain, at: now) }
            try dropKeysAboveLimits()
        case .remove(let headerKey, let number):
            guard let chain = try findChain(headerKey) else { return }
            try db.execute(
                "DELETE FROM skipped_keys WHERE chain_id = :chain_id AND number = :number",
                ["chain_id": chain, "number": Int64(number)]
            )
            try changeKeyCount(chain, -db.changeCount)
        }
    }

    func removeAllChains() throws { try db.execute("DELETE FROM skipped_chains WHERE conn_id = ?", connection.bytes) }

    /// Deletes all chains to which no key was added since `time`, for all connections.
    static func deleteChains(before time: Int64, _ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM skipped_chains WHERE kept_at < ?", time)
    }

    private func findChain(_ headerKey: SymmetricKey) throws -> Int64? {
        try db.firstRow(
            "SELECT chain_id FROM skipped_chains WHERE conn_id = :conn_id AND header_key = :header_key",
            ["conn_id": connection.bytes, "header_key": headerKey.rawRepresentation]
        )?
        .int64("chain_id")
    }

    private func addChain(_ added: SkippedMessageKeys.Chain, at now: Int64) throws {
        var id = try findChain(added.headerKey)
        if id == nil {
            try db.execute(
                """
                INSERT INTO skipped_chains (conn_id, header_key, keys, kept_at)
                VALUES (:conn_id, :header_key, 0, :kept_at)
                """,
                ["conn_id": connection.bytes, "header_key": added.headerKey.rawRepresentation, "kept_at": now]
            )
            id = db.lastInsertRowID
        }
        guard let id else { return }
        for (number, key) in added.keys {
            try db.execute(
                "INSERT INTO skipped_keys (chain_id, number, message_key) VALUES (:chain_id, :number, :message_key)",
                ["chain_id": id, "number": Int64(number), "message_key": key.storedForm]
            )
        }
        try db.execute(
            "UPDATE skipped_chains SET keys = keys + :added_keys, kept_at = :kept_at WHERE chain_id = :chain_id",
            ["added_keys": added.keys.count, "kept_at": now, "chain_id": id]
        )
    }

    private func changeKeyCount(_ chain: Int64, _ change: Int) throws {
        try db.execute(
            "UPDATE skipped_chains SET keys = keys + :added_keys WHERE chain_id = :chain_id",
            ["added_keys": change, "chain_id": chain]
        )
        try db.execute("DELETE FROM skipped_chains WHERE chain_id = ? AND keys <= 0", chain)
    }

    /// Deletes the oldest keys above the limits for chains and keys of a connection.
    private func dropKeysAboveLimits() throws {
        let chains: [(id: Int64, keys: Int)] = try db.query(
            "SELECT chain_id, keys FROM skipped_chains WHERE conn_id = ? ORDER BY chain_id",
            connection.bytes
        ).map { (id: try $0.int64("chain_id"), keys: try $0.readCount("keys")) }
        var (chainsAbove, keysAbove) = (
            chains.count - Self.chainLimit, chains.reduce(0) { $0 + $1.keys } - Self.keyLimit
        )
        for chain in chains {
            if chainsAbove > 0 || keysAbove >= chain.keys {
                try db.execute("DELETE FROM skipped_chains WHERE chain_id = ?", chain.id)
                chainsAbove -= 1
                keysAbove -= chain.keys
            } else if keysAbove > 0 {
                try db.execute(
                    """
                    DELETE FROM skipped_keys
                    WHERE chain_id = :chain_id
                    AND number IN (SELECT number FROM skipped_keys
                    WHERE chain_id = :chain_id ORDER BY number LIMIT :limit)
                    """,
                    ["chain_id": chain.id, "limit": keysAbove]
                )
                return try changeKeyCount(chain.id, -keysAbove)
            } else {
                return
            }
        }
    }
}

extension MessageKey {
    /// Stored form of a key: key (32 bytes) ‖ IV (16 bytes).
    var storedForm: [UInt8] { key.rawRepresentation + iv }

    init(stored: [UInt8]) throws(RatchetError) {
        guard stored.count == 48, let key = try? SymmetricKey(rawRepresentation: Array(stored.prefix(32))) else {
            throw .unreadableStoredForm
        }
        self.init(key: key, iv: Array(stored.dropFirst(32)))
    }
}
