import SMP
import SQLCipher
import SimpleXCrypto

extension Receiver {
    /// Handles a peer's request for a connection. The invitation is stored until the user accepts or rejects it. Each
    /// sender has a different key, so the queue stores no sender key.
    func receive(invitation request: ConnectionRequest, connInfo: [UInt8]) throws -> ReceptionResult {
        // The relay repeats messages that were not acknowledged, and such a repetition is ignored. If the peer itself
        // repeats an identical request, the request is emitted again, since it may have been rejected before.
        let hash = Digest.sha256(brokerMessageID)
        try db.execute(
            "INSERT OR IGNORE INTO rcv_hashes (conn_id, hash, received_at) VALUES (:conn_id, :hash, :received_at)",
            ["conn_id": queue.connection.bytes, "hash": hash, "received_at": nowSeconds]
        )
        guard db.changeCount > 0 else { return ReceptionResult() }
        let id = RandomBytes.make(count: 12)
        try db.insert(
            into: "invitations",
            ["invitation_id": id, "conn_id": queue.connection.bytes, "request": request.uri, "received_at": nowSeconds]
        )
        return ReceptionResult(events: [try .add(.request, queue.connection, confirmation: id, connInfo: connInfo, db)])
    }
}
