internal import SQLCipher

/// The items in stored answers to requests. A repeated answer contains the items that still exist. For deleted items,
/// it contains only the metadata.
enum RequestItems {
    /// Records the items in a stored answer. Removes the content of items that are already deleted, or marked as
    /// deleted, from the answer. This function must be called after the answer was stored.
    package static func recordItems(_ key: [UInt8], answer: [UInt8], in db: StoreConnection) throws {
        let items = JSONNumbers.findIntegers("itemId", in: answer)
        for item in items {
            try db.insert(into: "request_items", or: .ignore, ["request_key": key, "chat_item_id": item])
        }
        var there: Set<Int64> = []
        for some in items.sorted().chunks(of: 500) {
            let rows = try db.query(
                "SELECT chat_item_id FROM chat_items WHERE item_deleted <> 1 AND chat_item_id IN (\(placeholders(some.count)))",
                some.arguments
            )
            for row in rows { there.insert(try row.int64("chat_item_id")) }
        }
        let gone = items.subtracting(there)
        if !gone.isEmpty { try redactAnswer(gone, in: key, db) }
    }

    /// Removes content from the stored answers after a transaction has deleted the content.
    package static func redactAnswers(_ redactions: Redactions, in db: StoreConnection) throws {
        var requests: [[UInt8]: Set<Int64>] = [:]
        func add(_ rows: [Row]) throws {
            for row in rows { requests[try row.blob("request_key"), default: []].insert(try row.int64("chat_item_id")) }
        }
        var isWholeChat = false
        for extent in redactions.extents.values {
            guard case .items(let items) = extent else {
                isWholeChat = true
                continue
            }
            for some in items.sorted().chunks(of: 500) {
                try add(
                    db.query(
                        "SELECT request_key, chat_item_id FROM request_items WHERE chat_item_id IN (\(placeholders(some.count)))",
                        some.arguments
                    )
                )
            }
        }
        // After the deletion of a whole chat, all stored answers are checked. This is rare, and answers are kept only
        // for a day.
        if isWholeChat {
            try add(
                db.query(
                    """
                    SELECT request_key, chat_item_id FROM request_items r
                    WHERE NOT EXISTS (SELECT 1 FROM chat_items i WHERE i.chat_item_id = r.chat_item_id)
                    """
                )
            )
        }
        for (key, items) in requests { try redactAnswer(items, in: key, db) }
    }

    private static func redactAnswer(_ items: Set<Int64>, in key: [UInt8], _ db: StoreConnection) throws {
        let answer = try db.queryFirst("SELECT answer FROM requests WHERE request_key = ?", [key])?.blobOrNil("answer")
        if let answer, let less = EventRedaction.redactItemsInAnswer(answer, withoutItems: items) {
            try db.update("requests", set: ["answer": less], where: ["request_key": key])
        }
        for some in items.sorted().chunks(of: 500) {
            try db.execute(
                "DELETE FROM request_items WHERE request_key = ? AND chat_item_id IN (\(placeholders(some.count)))",
                [key] + some.arguments
            )
        }
    }
}
