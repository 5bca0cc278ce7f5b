import SMP
import SQLCipher
import SimpleXCrypto

/// The consequences of a received message. The agent acts on them after the commit of the transaction that has
/// processed the message.
struct ReceptionResult: Sendable {
    /// Events of the connection with their database rows, in the order of their emission.
    var events: [PendingEvent] = []
    /// A newly stored message for the handler.
    var message: AgentEvent?
    /// An error for the user.
    var error: AgentError?
    /// Whether an earlier transaction has stored the message, and the handler has not acknowledged it yet.
    var wasStoredBefore = false
    var wakesOutbox = false
    /// Whether the receive queue has to be secured with the peer's key now.
    var securesQueue = false
    /// Whether the rotation of the receive queue has a next step for this side.
    var continuesRotation = false
    var hasReceipts = false

    /// Whether the message contains only receipts, so that nobody waits for the commit.
    var canDelayCommit: Bool { hasReceipts && events.count <= 1 && error == nil && !wakesOutbox && !continuesRotation }

    static func failure(_ error: AgentError) -> ReceptionResult { ReceptionResult(error: error) }
    static func prohibited(_ what: String) -> ReceptionResult { failure(.agent(.prohibited(what))) }
}

/// An event of a connection that stays stored until the handler has processed the event.
struct PendingEvent: Sendable {
    enum Kind: String {
        case confirmation, request, joined, securedByJoin, info, connected, gap, receipts, ratchetSync, switched
    }

    var rowID: Int64
    var event: AgentEvent

    static func add(
        _ kind: Kind,
        _ connection: ConnectionID,
        confirmation: ConfirmationID? = nil,
        connInfo: [UInt8]? = nil,
        _ db: DatabaseConnection
    ) throws -> PendingEvent {
        try db.execute(
            """
            INSERT INTO events (conn_id, kind, confirmation_id, conn_info)
            VALUES (:conn_id, :kind, :confirmation_id, :conn_info)
            """,
            [
                "conn_id": connection.bytes, "kind": kind.rawValue, "confirmation_id": confirmation,
                "conn_info": connInfo,
            ]
        )
        let row = db.lastInsertRowID
        return PendingEvent(
            rowID: row,
            event: try makeEvent(kind, connection, confirmation ?? [], connInfo ?? [], row, db)
        )
    }

    /// Returns the stored events of earlier runs, which the handler has not processed.
    static func readEmissions(_ db: DatabaseConnection) throws -> [Emission] {
        try db.query("SELECT * FROM events ORDER BY event_id").compactMap { row in
            guard let kind = Kind(rawValue: try row.string("kind")) else { return nil }
            let connection = ConnectionID(bytes: try row.blob("conn_id"))
            let number = try row.int64("event_id")
            let pending = PendingEvent(
                rowID: number,
                event: try makeEvent(
                    kind,
                    connection,
                    try row.blobOrNil("confirmation_id") ?? [],
                    try row.blobOrNil("conn_info") ?? [],
                    number,
                    db
                )
            )
            var emission = Emission(pending)
            emission.deliveryAttempts = try row.readClampedCount("attempts")
            return emission
        }
    }

    /// Adds `more` (1 or -1) to the number of starts that have delivered the event.
    func changeAttemptCount(by more: Int64, _ db: DatabaseConnection) throws {
        try db.execute(
            "UPDATE events SET attempts = attempts + :added_attempts WHERE event_id = :event_id",
            ["added_attempts": more, "event_id": rowID]
        )
    }

    func remove(_ db: DatabaseConnection) throws { try db.execute("DELETE FROM events WHERE event_id = ?", rowID) }

    private static func makeEvent(
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
        case .gap: StoredMessageGap(stored: info).makeEvent(connection, number: row)
        case .receipts: .receipts(connection, MessageReceipt.parseReceipts(info))
        case .ratchetSync: try StoredRatchetSyncChange(stored: info).makeEvent(connection, number: row, db)
        case .switched: try StoredQueueSwitchChange(stored: info).makeEvent(connection, number: row, db)
        }
    }
}
