internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

extension PlannedMessage {
    /// Reads a scheduled message or a broadcast from the database.
    /// - Parameter row: a row of `planned_messages`.
    init(_ row: Row, _ db: StoreConnection) throws {
        id = try row.int64("planned_id")
        kind = try row.bool("broadcasts") ? .broadcast : .scheduled
        keyId = try row.string("key_id")
        content = try row.stringOrNil("content").flatMap { try? StoredJSON.decode(PlannedContent.self, $0) }
        messagesPerSecond = PlannedLimits.permittedMessagesPerSecond.clamping(try row.int64("send_rate"))
        sendAt = try row.int64OrNil("send_at").map(Timestamp.init(nanoseconds:))
        createdAt = Timestamp(nanoseconds: try row.int64("created_at"))
        finishedAt = try row.int64OrNil("finished_at").map(Timestamp.init(nanoseconds:))
        var counts: [PlannedReceiver.State: Int] = [:]
        for state in PlannedReceiver.State.allCases {
            let count = (0...PlannedLimits.maxReceivers).clamping(try row.int64(state.countColumn))
            if count > 0 { counts[state] = count }
        }
        self.receiverCounts = counts
        receiver =
            kind == .broadcast
            ? nil
            : try db.queryFirst("SELECT * FROM planned_receivers WHERE planned_id = ? AND receiver_no = 1", [id])
                .map { try PlannedReceiver($0) }
    }

    static func find(_ id: Int64, in db: StoreConnection) throws -> PlannedMessage? {
        try db.queryFirst("SELECT * FROM planned_messages WHERE planned_id = ?", [id]).map {
            try PlannedMessage($0, db)
        }
    }
}

extension ClosedRange<Int> {
    fileprivate func clamping(_ value: Int64) -> Int {
        Swift.min(Swift.max(Int(clamping: value), lowerBound), upperBound)
    }
}

extension PlannedReceiver.State {
    /// The column of `planned_messages` with the number of receivers in this state.
    var countColumn: String { "\(rawValue)_count" }
}

extension PlannedReceiver {
    init(_ row: Row) throws {
        receiverNumber = try row.int64("receiver_no")
        if let connectionId = try row.int64OrNil("connection_id") {
            chat = ChatRef(chatType: .contactConnection, chatId: connectionId)
        } else {
            // If an unreadable chat caused an error, later messages would not be sent. So the receiver gets contact 0,
            // which does not exist.
            let key = (try? ChatKey(row)) ?? .contact(0)
            chat = ChatRef(chatType: key.chatType, chatId: key.chatId)
        }
        state = State(rawValue: try row.string("state")) ?? .failed
        itemIds = (try? StoredJSON.decode([Int64].self, row.string("item_ids"))) ?? []
        problem = try row.stringOrNil("problem").flatMap { try? JSONValue(parsing: $0, limits: .forOwnText) }
        finishedAt = try row.int64OrNil("done_at").map(Timestamp.init(nanoseconds:))
    }
}

/// The stored form of the error of a receiver. It contains the kinds of the error and of its parts, but no data of
/// users.
enum PlannedProblem {
    private static let storedKeys: Set = ["type", "reason", "message", "resource", "limit"]

    static func encode(_ error: ChatError) throws -> String {
        // The API of the core reports missing rights as a command error. The result of a receiver has a separate error
        // for them.
        if case .error(.accessDenied(let reason)) = error {
            let type: JSONValue = ["type": "accessDenied", "reason": .string(reason)]
            return JSONValue.object(["type": "error", "errorType": type]).text
        }
        let json = try JSONEncoder().encodeValue(error)
        return (reduceToErrorKinds(json) ?? .object(["type": "error"])).text
    }

    private static func reduceToErrorKinds(_ value: JSONValue) -> JSONValue? {
        guard let members = value.objectValue, members["type"] != nil else { return nil }
        var kept = JSONObject()
        for (name, value) in members {
            if value.objectValue != nil {
                kept[name] = reduceToErrorKinds(value)
            } else if storedKeys.contains(name) {
                kept[name] = value
            }
        }
        return .object(kept)
    }
}
