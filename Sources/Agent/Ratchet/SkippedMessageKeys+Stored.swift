import SMP
import SimpleXCrypto

/// Skipped keys are rows in the agent's database: header key (32 bytes), number, message key (48 bytes).
extension SkippedMessageKeys {
    struct Row: Hashable, Sendable {
        var headerKey: [UInt8]
        var number: UInt32
        var messageKey: [UInt8]
    }

    var rows: [Row] {
        chains.flatMap { chain in
            chain.keys.map { Row(headerKey: chain.headerKey.rawRepresentation, number: $0, messageKey: $1.stored) }
        }
    }

    init(rows: some Sequence<Row>) throws(RatchetError) {
        for row in rows {
            guard let headerKey = try? SymmetricKey(rawRepresentation: row.headerKey) else { throw .storedForm }
            insert(headerKey: headerKey, number: row.number, key: try MessageKey(stored: row.messageKey))
        }
    }
}

extension MessageKey {
    /// Key (32 bytes) ‖ IV (16 bytes).
    var stored: [UInt8] { key.rawRepresentation + iv }

    init(stored: [UInt8]) throws(RatchetError) {
        guard stored.count == 48, let key = try? SymmetricKey(rawRepresentation: Array(stored.prefix(32))) else { throw .storedForm }
        self.init(key: key, iv: Array(stored.dropFirst(32)))
    }
}
