import SMP
import SQLCipher
import SimpleXCrypto

/// The consequences of a received message, once its transaction is committed.
struct Reception: Sendable {
    /// Connection events with their rows, to be emitted in order.
    var events: [PendingEvent] = []
    /// A message for the handler, stored now.
    var message: AgentEvent?
    /// An error to report to the user.
    var error: AgentError?
    /// Whether the message was stored before, and still is.
    var isStored = false
    var wakesOutbox = false
    /// Secure the receive queue with the peer's key now.
    var securesQueue = false
    /// There is something to do for the change of the receive queue.
    var continuesRotation = false
    var hasReceipts = false

    /// Whether the message has brought receipts and nothing else, so that nobody waits for the commit.
    var canWait: Bool { hasReceipts && events.count <= 1 && error == nil && !wakesOutbox && !continuesRotation }

    static func failure(_ error: AgentError) -> Reception { Reception(error: error) }
    static func prohibited(_ what: String) -> Reception { failure(.agent(.prohibited(what))) }
}

/// A connection event that is kept until the handler has returned from it.
struct PendingEvent: Sendable {
    enum Kind: String {
        case confirmation, request, joined, securedByJoin, info, connected, gap, receipts, ratchetSync, switched
    }

    var row: Int64
    var event: AgentEvent

    static func add(
        _ kind: Kind,
        _ connection: ConnectionID,
        confirmation: ConfirmationID? = nil,
        connInfo: [UInt8]? = nil,
        _ db: DatabaseConnection
    ) throws -> PendingEvent {
        try db.execute(
            "INSERT INTO events (conn_id, kind, confirmation_id, conn_info) VALUES (?, ?, ?, ?)",
            connection.bytes,
            kind.rawValue,
            confirmation,
            connInfo
        )
        let row = db.lastInsertRowID
        return PendingEvent(row: row, event: try event(kind, connection, confirmation ?? [], connInfo ?? [], row, db))
    }

    /// Events that the last run did not deliver.
    static func all(_ db: DatabaseConnection) throws -> [Emission] {
        try db.query("SELECT * FROM events ORDER BY event_id").compactMap { row in
            guard let kind = Kind(rawValue: try row.string("kind")) else { return nil }
            let connection = ConnectionID(bytes: try row.blob("conn_id"))
            let number = try row.int64("event_id")
            let pending = PendingEvent(
                row: number,
                event: try event(
                    kind,
                    connection,
                    try row.blobOrNil("confirmation_id") ?? [],
                    try row.blobOrNil("conn_info") ?? [],
                    number,
                    db
                )
            )
            var emission = Emission(pending)
            emission.attempts = try row.tally("attempts")
            return emission
        }
    }

    /// Notes that a start hands the event over once more, or that this did not count.
    func countAttempts(_ more: Int64, _ db: DatabaseConnection) throws {
        try db.execute("UPDATE events SET attempts = attempts + ? WHERE event_id = ?", more, row)
    }

    func remove(_ db: DatabaseConnection) throws { try db.execute("DELETE FROM events WHERE event_id = ?", row) }

    private static func event(
        _ kind: Kind,
        _ connection: ConnectionID,
        _ confirmation: ConfirmationID,
        _ info: [UInt8],
        _ row: Int64,
        _ db: DatabaseConnection
    ) throws -> AgentEvent {
        switch kind {
        case .confirmation: .confirmation(connection, confirmation, connInfo: info)
        case .request: .request(connection, confirmation, connInfo: info)
        case .joined: .joined(connection, isSecured: false)
        case .securedByJoin: .joined(connection, isSecured: true)
        case .info: .info(connection, connInfo: info)
        case .connected: .connected(connection)
        case .gap: MessageGapNews(stored: info).event(connection, number: row)
        case .receipts: .receipts(connection, MessageReceipt.decoded(info))
        case .ratchetSync: try RatchetSyncNews(stored: info).event(connection, number: row, db)
        case .switched: try QueueSwitchNews(stored: info).event(connection, number: row, db)
        }
    }
}
