internal import SQLCipher

/// What the messages of a span are found by, while it is made.
struct SearchIndex: Sendable {
    let span: SearchSpan
    private(set) var lists: [Grams.Gram: [UInt16]] = [:]
    /// Of a large span.
    private(set) var runs: RunFilter?
    private var sent = ClockRange(), created = ClockRange()

    init(_ span: SearchSpan, _ db: StoreConnection) throws {
        self.span = span
        if span.isLarge { runs = RunFilter() }
        let rows = try db.query(
            """
            SELECT chat_item_id, user_id, coalesce(contact_id, -note_folder_id) AS chat, item_text, item_ts, created_at FROM chat_items
            WHERE chat_item_id >= ? AND chat_item_id < ? ORDER BY chat_item_id
            """, [span.start, span.end])
        for row in rows {
            let offset = UInt16(truncatingIfNeeded: try row.int64("chat_item_id") &- span.start)
            let text = try row.string("item_text")
            Grams.forEach(in: text) { note($0, offset) }
            runs?.note(text)
            if let chat = try row.int64OrNil("chat") { note(Grams.chat(user: try row.int64("user_id"), chat: chat), offset) }
            sent.note(try row.int64("item_ts"))
            created.note(try row.int64("created_at"))
        }
    }

    private mutating func note(_ gram: Grams.Gram, _ offset: UInt16) {
        lists[gram, default: []].append(offset, unlessLast: true)
    }

    /// In the order in which they are stored.
    var grams: [Grams.Gram] { lists.keys.sorted() }

    func list(_ gram: Grams.Gram) -> [UInt8]? { lists[gram].map { GramList.encoded($0, size: Int(span.size)) } }

    /// From now on the span can be used.
    /// - Parameter note: the last change that was noted when the messages were read; what was noted later is still to be looked at.
    func publish(upTo note: Int64, _ db: StoreConnection) throws {
        try db.execute(
            "INSERT OR REPLACE INTO search_spans VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [span.isLarge, span.number, sent.first, sent.last, created.first, created.last, sent.disorder, created.disorder])
        try db.execute(
            "DELETE FROM search_changed WHERE chat_item_id >= ? AND chat_item_id < ? AND note <= ?", [span.start, span.end, note])
        try db.execute("UPDATE search_state SET covered = max(covered, ?), spans_written = spans_written + 1", [span.end])
    }
}

/// What a clock showed at the messages of a span, taken in the order of their ids. Of no messages the first is after the last.
private struct ClockRange {
    private(set) var first = Int64.max
    private(set) var last = Int64.min
    /// By how much a message is at most later than one that follows.
    private(set) var disorder: Int64 = 0

    mutating func note(_ time: Int64) {
        if last > time {
            let (difference, isTooMuch) = last.subtractingReportingOverflow(time)
            disorder = max(disorder, isTooMuch ? .max : difference)
        }
        first = min(first, time)
        last = max(last, time)
    }
}

extension Array where Element == UInt16 {
    fileprivate mutating func append(_ offset: UInt16, unlessLast: Bool) {
        if last != offset { append(offset) }
    }
}
