internal import ChatStore
internal import SQLCipher

extension RequestClaim {
    /// Finds the connection that was recorded for the request; nil if no connection was recorded, or if the connection
    /// was deleted.
    func findConnection(in db: StoreConnection) throws -> ConnectionRecord? {
        try db.queryFirst("SELECT connection_id FROM requests WHERE request_key = ?", [requestID])?.int64OrNil(
            "connection_id"
        )
        .flatMap { try ConnectionRecord.find($0, in: db) }
    }
}
