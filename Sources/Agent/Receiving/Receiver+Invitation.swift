import SMP
import SQLCipher
import SimpleXCrypto

extension Receiver {
    /// Somebody asks to be connected: the invitation is kept until the handler decides on it. Every sender has a key of his own, so none stays
    /// with the queue.
    func receive(invitation request: ConnectionRequest, connInfo: [UInt8]) throws -> Reception {
        // The relay delivers again what it was not told to forget. What is sent again, word for word, is told again: it may have been rejected.
        let hash = Digest.sha256(brokerID)
        try db.execute("INSERT OR IGNORE INTO rcv_hashes (conn_id, hash, received_at) VALUES (?, ?, ?)", queue.connection.bytes, hash, now)
        guard db.changes > 0 else { return Reception() }
        let id = RandomBytes.make(count: 12)
        try db.execute(
            "INSERT INTO invitations (invitation_id, conn_id, request, received_at) VALUES (?, ?, ?, ?)", id, queue.connection.bytes, request.uri,
            now)
        return Reception(events: [try .add(.request, queue.connection, confirmation: id, connInfo: connInfo, db)])
    }
}
