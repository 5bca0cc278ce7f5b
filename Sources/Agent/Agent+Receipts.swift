import Clocks
import SQLCipher

extension Agent {
    /// Deletes data that the handler does not need any more, and enqueues the requested receipts. The receipts for one
    /// connection share messages, each with up to `maxReceiptsPerMessage` receipts.
    /// Receipts get higher numbers than other messages of the same commit, such as an answer to a received message. So
    /// the peer gets the answer first, and the answer does not wait until the peer has processed the receipts.
    func deleteData(_ data: [DeletableData], _ kind: DeletionGroup) async {
        let now = WallClock.seconds(), delays = configuration.commitDelays
        do {
            let done: DeletionResult =
                switch kind {
                case .receipts:
                    try await storeBeforeCommitWithRetry(within: delays.ownReceiptDelay) { db in
                        try DeletionResult(data, at: now, db)
                    }
                case .urgentEvents: try await storeWithRetry { db in try DeletionResult(data, at: now, db) }
                case .events:
                    try await storeWithRetry(within: { $0.connectionsToDelete.isEmpty ? delays.deletionDelay : .zero })
                    {
                        db in
                        try DeletionResult(data, at: now, db)
                    }
                }
            if let run = try? requireOnline() {
                for connection in done.connectionsToWake { run.outbox.wakeWorker(connection) }
            }
            if !done.connectionsToDelete.isEmpty {
                try await delete(connections: Array(done.connectionsToDelete), waitDelivery: false)
            }
        } catch { logger.error("handled messages and events not deleted", metadata: ["error": "\(error)"]) }
    }

    private struct DeletionResult: Sendable {
        /// Connections with new receipts in the outbox.
        var connectionsToWake: [ConnectionID] = []
        /// Connections marked for deletion whose last message has been sent.
        var connectionsToDelete: Set<ConnectionID> = []

        init(_ data: [DeletableData], at now: Int64, _ db: DatabaseConnection) throws {
            var receipts: [ConnectionID: [AMessageReceipt]] = [:]
            var sent: Set<ConnectionID> = []
            for one in data {
                switch one {
                case .messages(let messages):
                    for id in messages.messageIDs where messages.receipts.contains(id) {
                        guard let receipt = try StoredMessage.makeReceipt(messages.connection, id, db) else { continue }
                        receipts[messages.connection, default: []].append(receipt)
                    }
                    try StoredMessage.remove(messages.connection, messages.messageIDs, db)
                case .event(let pending): try pending.remove(db)
                case .sentMessage(let connection, let id):
                    try Agent.removeSentMessage(id, on: connection, db)
                    sent.insert(connection)
                }
            }
            connectionsToWake = try receipts.filter { try Agent.enqueueReceipts($0.value, to: $0.key, at: now, db) }
                .map(\.key)
            connectionsToDelete = try sent.filter { try Agent.isToBeDeletedNow($0, db) }
        }
    }

    /// Maximal number of receipts in one message. One byte encodes the number, and the receipts must fit into a block.
    private static let maxReceiptsPerMessage = 100

    /// Puts receipts for a connection into the outbox. If the peer's confirmation is not answered yet, stores the
    /// receipts for later.
    /// - Returns: whether a message was added to the outbox. No message is added if the peer's program does not support
    ///   receipts, if the connection is deleted, or if this side cannot send over the connection at present.
    fileprivate static func enqueueReceipts(
        _ receipts: [AMessageReceipt],
        to id: ConnectionID,
        at now: Int64,
        _ db: DatabaseConnection
    ) throws -> Bool {
        guard var connection = try AgentConnection.find(id, db),
            connection.agentVersion >= AgentVersions.firstWithReceipts,
            !connection.isDeletedAfterSending, connection.ratchet != nil, !connection.ratchetSync.prohibitsSending
        else { return false }
        guard try !isConfirmationUnanswered(id, db) else {
            for receipt in receipts {
                try db.execute(
                    "INSERT INTO deferred_receipts (conn_id, snd_id, hash) VALUES (:conn_id, :snd_id, :hash)",
                    ["conn_id": id.bytes, "snd_id": receipt.sndMsgId, "hash": receipt.msgHash]
                )
            }
            return false
        }
        guard try SndQueue.findCurrent(id, db) != nil else { return false }
        do {
            for start in stride(from: 0, to: receipts.count, by: maxReceiptsPerMessage) {
                _ = try connection.enqueue(
                    .receipts(Array(receipts[start..<min(receipts.count, start + maxReceiptsPerMessage)])),
                    kind: .receipts,
                    notify: false,
                    at: now,
                    db
                )
            }
            return true
        } catch is RatchetError {
            // This side cannot send over the connection yet, although it receives messages. So no receipt is sent.
            return false
        }
    }

    /// Whether this side has not yet answered the peer's confirmation. The peer may already have sent messages, but it
    /// cannot decrypt messages of this side before the answer.
    private static func isConfirmationUnanswered(_ id: ConnectionID, _ db: DatabaseConnection) throws -> Bool {
        try db.firstRow("SELECT 1 AS waits FROM confirmations WHERE conn_id = ? LIMIT 1", id.bytes) != nil
    }

    /// Puts the receipts that were stored before the answer to the confirmation into the outbox. They come after the
    /// answer.
    static func enqueueDeferredReceipts(to id: ConnectionID, at now: Int64, _ db: DatabaseConnection) throws {
        let rows = try db.query(
            "SELECT snd_id, hash FROM deferred_receipts WHERE conn_id = ? ORDER BY receipt_id",
            id.bytes
        )
        guard !rows.isEmpty else { return }
        try db.execute("DELETE FROM deferred_receipts WHERE conn_id = ?", id.bytes)
        _ = try enqueueReceipts(
            rows.map { AMessageReceipt(sndMsgId: try $0.int64("snd_id"), msgHash: try $0.blob("hash"), info: []) },
            to: id,
            at: now,
            db
        )
    }
}
