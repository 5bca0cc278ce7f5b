internal import SQLCipher
import Synchronization

/// What a search knows of the index before it reads any list: which spans there are, how long the lists of each piece are, and which runs of
/// characters there are at all. They change seldom and every search needs them, so they are kept in memory; the database numbers their changes.
final class SearchOutline: Sendable {
    struct Known: Sendable {
        /// The ids below are in spans.
        fileprivate(set) var covered: Int64 = 0
        /// In order, the small ones first.
        fileprivate(set) var spans: [Span] = []
        fileprivate(set) var sizes = ListSizes()
        /// Of all large spans.
        fileprivate(set) var runs = RunFilter(stored: nil)
        fileprivate var spansWritten: Int64 = -1
        fileprivate var sizesWritten: Int64 = -1
    }

    struct Span: Sendable {
        let isLarge: Bool
        let number: Int64
        /// By the time of sending, and by the time of storing.
        let sent: Clock
        let created: Clock
    }

    /// What a clock showed at the messages of a span; of no messages the first is after the last.
    struct Clock: Sendable {
        let first: Int64
        let last: Int64
        /// By how much a message is at most later than one of a higher id; nil: not known.
        let disorder: Int64?
    }

    private let known = Mutex(Known())

    /// As the index is in the snapshot that `db` sees.
    func known(_ db: StoreConnection) throws -> Known {
        var known = self.known.withLock { $0 }
        guard let state = try db.first("SELECT covered, spans_written, sizes_written FROM search_state") else { return Known() }
        let (covered, spansWritten, sizesWritten) = (try state.int64(0), try state.int64(1), try state.int64(2))
        guard (known.spansWritten, known.sizesWritten) != (spansWritten, sizesWritten) else { return known }
        if known.spansWritten != spansWritten { known.spans = try Self.spans(db) }
        if known.sizesWritten != sizesWritten { (known.sizes, known.runs) = try Self.sizes(db) }
        (known.covered, known.spansWritten, known.sizesWritten) = (covered, spansWritten, sizesWritten)
        self.known.withLock { last in
            if last.spansWritten < spansWritten { last = known }
        }
        return known
    }

    private static func spans(_ db: StoreConnection) throws -> [Span] {
        let rows = try db.query(
            """
            SELECT is_large, span, first_ts, last_ts, disorder_ts, first_created, last_created, disorder_created FROM search_spans
            ORDER BY is_large, span
            """)
        return try rows.map { row in
            func clock(_ column: Int) throws -> Clock {
                Clock(first: try row.int64(column), last: try row.int64(column + 1), disorder: try row.int64OrNil(column + 2))
            }
            return Span(isLarge: try row.bool(0), number: try row.int64(1), sent: try clock(2), created: try clock(5))
        }
    }

    static func sizes(_ db: StoreConnection) throws -> (sizes: ListSizes, runs: RunFilter) {
        let row = try db.first("SELECT sizes, runs FROM search_sizes")
        return (ListSizes(stored: try row?.blob(0) ?? []), RunFilter(stored: try row?.blobOrNil(1)))
    }
}
