internal import SQLCipher
import Synchronization

/// The parts of the index that a search needs before it reads the list of a trigram: the spans, the sizes of each
/// trigram's lists, and the Bloom filter. Every search needs these parts and they rarely change, so they are kept in
/// memory. Counters in the database (`spans_written`, `sizes_written`) show whether the parts in memory are current.
package final class SearchOutline: Sendable {
    package struct IndexState: Sendable {
        /// The first message id after all spans.
        package fileprivate(set) var coveredEnd: Int64 = 0
        /// The sorted spans, with small spans before large spans.
        package fileprivate(set) var spans: [Span] = []
        package fileprivate(set) var sizes = ListSizes()
        /// The Bloom filter of all large spans together.
        package fileprivate(set) var bloomFilter = BloomFilter(stored: nil)
        fileprivate var spansWriteNumber: Int64 = -1
        fileprivate var sizesWriteNumber: Int64 = -1
    }

    package struct Span: Sendable {
        package let isLarge: Bool
        package let number: Int64
        /// The range of the times of sending (`sentTimes`), and the range of the times of storing (`createdTimes`).
        package let sentTimes: TimeRange
        package let createdTimes: TimeRange
    }

    /// The range of the times of the messages in a span: the times of sending, or the times of storing. Without
    /// messages, `firstTime` is greater than `lastTime`.
    package struct TimeRange: Sendable {
        package let firstTime: Int64
        package let lastTime: Int64
        /// The longest time by which a message is earlier than a message with a smaller id. It is 0 if the messages
        /// have the same order by time and by id, and nil if it is unknown.
        package let maxTimeReversal: Int64?
    }

    private let lastState = Mutex(IndexState())

    package init() {}

    /// Returns the state of the index in the snapshot of `db`.
    package func readCurrentState(_ db: StoreConnection) throws -> IndexState {
        var known = self.lastState.withLock { $0 }
        guard let state = try db.firstRow("SELECT covered, spans_written, sizes_written FROM search_state") else {
            return IndexState()
        }
        let covered = try state.int64("covered")
        let spansWritten = try state.int64("spans_written"), sizesWritten = try state.int64("sizes_written")
        guard (known.spansWriteNumber, known.sizesWriteNumber) != (spansWritten, sizesWritten) else { return known }
        if known.spansWriteNumber != spansWritten { known.spans = try Self.readSpans(db) }
        if known.sizesWriteNumber != sizesWritten { (known.sizes, known.bloomFilter) = try Self.readSizes(db) }
        (known.coveredEnd, known.spansWriteNumber, known.sizesWriteNumber) = (covered, spansWritten, sizesWritten)
        self.lastState.withLock { last in
            if last.spansWriteNumber < spansWritten { last = known }
        }
        return known
    }

    private static func readSpans(_ db: StoreConnection) throws -> [Span] {
        let rows = try db.query(
            """
            SELECT is_large, span, first_ts, last_ts, disorder_ts, first_created, last_created, disorder_created FROM search_spans
            ORDER BY is_large, span
            """
        )
        return try rows.map { row in
            Span(
                isLarge: try row.bool("is_large"),
                number: try row.readCount("span", upTo: TrigramIndex.spanMask),
                sentTimes: TimeRange(
                    firstTime: try row.int64("first_ts"),
                    lastTime: try row.int64("last_ts"),
                    maxTimeReversal: try row.int64OrNil("disorder_ts")
                ),
                createdTimes: TimeRange(
                    firstTime: try row.int64("first_created"),
                    lastTime: try row.int64("last_created"),
                    maxTimeReversal: try row.int64OrNil("disorder_created")
                )
            )
        }
    }

    package static func readSizes(_ db: StoreConnection) throws -> (sizes: ListSizes, bloomFilter: BloomFilter) {
        let row = try db.firstRow("SELECT sizes, runs FROM search_sizes")
        return (ListSizes(stored: try row?.blob("sizes") ?? []), BloomFilter(stored: try row?.blobOrNil("runs")))
    }
}
