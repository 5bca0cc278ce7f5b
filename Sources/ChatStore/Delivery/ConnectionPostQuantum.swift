package import SQLCipher

/// The state of the post-quantum encryption of a connection, as the chat database stores it.
package struct ConnectionPostQuantum: Sendable, Hashable {
    /// Whether the connection supports post-quantum encryption. Long messages are then compressed, to leave space for
    /// the headers of this encryption.
    package var isSupported: Bool
    /// Whether the user wants post-quantum encryption.
    package var isWanted: Bool
    /// Whether post-quantum encryption protects sent messages; nil if this is unknown. `protectsReceived` states the
    /// same for received messages.
    package var protectsSent: Bool?
    package var protectsReceived: Bool?

    /// Whether post-quantum encryption protects both directions.
    package var protectsBoth: Bool { protectsSent == true && protectsReceived == true }

    package static let columns = "cn.pq_support, cn.pq_encryption, cn.pq_snd_enabled, cn.pq_rcv_enabled"

    package init(isSupported: Bool) {
        self.isSupported = isSupported
        isWanted = isSupported
    }

    package init(_ row: Row) throws {
        isSupported = try row.bool("pq_support")
        isWanted = try row.bool("pq_encryption")
        protectsSent = try row.boolOrNil("pq_snd_enabled")
        protectsReceived = try row.boolOrNil("pq_rcv_enabled")
    }

    package func store(_ connectionId: Int64, _ db: StoreConnection) throws {
        try db.update(
            "connections",
            set: [
                "pq_support": isSupported, "pq_encryption": isWanted,
                "pq_snd_enabled": protectsSent.map { Int64($0 ? 1 : 0) },
                "pq_rcv_enabled": protectsReceived.map { Int64($0 ? 1 : 0) },
            ],
            where: ["connection_id": connectionId]
        )
    }
}
