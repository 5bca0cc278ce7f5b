internal import SQLCipher

/// The index of one span during its construction.
package struct SpanIndexBuilder: Sendable {
    package let span: SearchSpan
    package private(set) var lists: [TrigramIndex.Gram: [UInt16]] = [:]
    /// The Bloom filter of a large span; nil for a small span.
    package private(set) var bloomFilter: BloomFilter?
    private var sentTimes = ItemTimeRange(), createdTimes = ItemTimeRange()

    package init(_ span: SearchSpan, _ db: StoreConnection) throws {
        self.span = span
        if span.isLarge { bloomFilter = BloomFilter() }
        let rows = try db.query(
            """
            SELECT chat_item_id, user_id, chat_type, chat_id, item_text, item_ts, created_at FROM chat_items
            WHERE chat_item_id >= :start AND chat_item_id < :end ORDER BY chat_item_id
            """,
            ["start": span.start, "end": span.end]
        )
        for row in rows {
            let offset = UInt16(truncatingIfNeeded: try row.int64("chat_item_id") &- span.start)
            let text = try row.string("item_text")
            TrigramIndex.forEachTrigram(in: text) { addOffset($0, offset) }
            bloomFilter?.add(text)
            addOffset(TrigramIndex.chatGram(try ChatKey(row), user: try row.int64("user_id")), offset)
            sentTimes.include(try row.int64("item_ts"))
            createdTimes.include(try row.int64("created_at"))
        }
    }

    private mutating func addOffset(_ gram: TrigramIndex.Gram, _ offset: UInt16) {
        lists[gram, default: []].append(offset, unlessLast: true)
    }

    /// The trigrams, in the order in which their lists are stored.
    package var grams: [TrigramIndex.Gram] { lists.keys.sorted() }

    package func encodeList(_ gram: TrigramIndex.Gram) -> [UInt8]? {
        lists[gram].map { GramList.encode($0, size: Int(span.size)) }
    }

    /// The number of lists that one statement inserts.
    static let listsPerInsert = 100

    /// Inserts the lists of a small span. One statement inserts many lists, and another statement inserts single lists.
    /// So the connection has to keep only two prepared statements.
    package func insertSmallLists(_ db: StoreConnection) throws {
        let grams = grams, wholeCount = grams.count / Self.listsPerInsert * Self.listsPerInsert
        let whole = Array(grams[..<wholeCount]), rest = Array(grams[wholeCount...])
        for chunk in whole.chunks(of: Self.listsPerInsert) + rest.chunks(of: 1) {
            let rows = repeatElement("(?, ?)", count: chunk.count).joined(separator: ", ")
            // Without `OR FAIL`, SQLite would copy each changed page, to undo the statement if it fails.
            try db.execute(
                "INSERT OR FAIL INTO search_small_lists (list, items) VALUES \(rows)",
                chunk.flatMap { gram -> [Argument] in
                    [TrigramIndex.listKey(gram, span: span.spanNumber), encodeList(gram)]
                }
            )
        }
    }

    /// Stores the row that describes the span. From then on, searches use the lists of the span.
    /// - Parameter change: the number of the last change before the messages were read. Searches check messages with
    ///   later changes without the index.
    package func storeSpan(upTo change: Int64, _ db: StoreConnection) throws {
        try db.insert(
            into: "search_spans",
            or: .replace,
            [
                "is_large": span.isLarge, "span": span.spanNumber, "first_ts": sentTimes.firstTime,
                "last_ts": sentTimes.lastTime,
                "first_created": createdTimes.firstTime, "last_created": createdTimes.lastTime,
                "disorder_ts": sentTimes.maxTimeReversal,
                "disorder_created": createdTimes.maxTimeReversal,
            ]
        )
        try db.execute(
            "DELETE FROM search_changed WHERE chat_item_id >= :start AND chat_item_id < :end AND note <= :note",
            ["start": span.start, "end": span.end, "note": change]
        )
        try db.execute(
            "UPDATE search_state SET covered = max(covered, ?), spans_written = spans_written + 1",
            [span.end]
        )
    }
}

/// The range of the times of the messages in a span: the times of sending, or the times of storing. The messages are
/// added in the order of their ids. Without messages, `firstTime` is greater than `lastTime`.
private struct ItemTimeRange {
    private(set) var firstTime = Int64.max
    private(set) var lastTime = Int64.min
    /// The longest time by which a message is earlier than a message with a smaller id. It is 0 if the messages have
    /// the same order by time and by id.
    private(set) var maxTimeReversal: Int64 = 0

    mutating func include(_ time: Int64) {
        if lastTime > time {
            let (difference, isTooMuch) = lastTime.subtractingReportingOverflow(time)
            maxTimeReversal = max(maxTimeReversal, isTooMuch ? .max : difference)
        }
        firstTime = min(firstTime, time)
        lastTime = max(lastTime, time)
    }
}

extension Array where Element == UInt16 {
    fileprivate mutating func append(_ offset: UInt16, unlessLast: Bool) {
        if last != offset { append(offset) }
    }
}
