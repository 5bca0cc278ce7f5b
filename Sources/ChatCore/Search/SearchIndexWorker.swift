internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// Builds the search index in the background. The index has a part for each span, which is a fixed range of message
/// ids. A part is built when all messages of its span exist. It is built again after deletions and changes in the span,
/// so that no deleted text remains in the index. The worker writes in small steps, so that other writers do not wait
/// long.
final class SearchIndexWorker: Worker {
    let followUpWork = FollowUp.searchIndex
    private let store: ChatStore
    private let logger: Logger
    let signal = WakeSignal()

    /// The interval at which the worker looks for deleted messages, and the pause between the rewriting of two ranges
    /// of message ids.
    private static let roundInterval: Duration = .seconds(60)
    private static let rowsPerWrite = 500
    /// The number of trigrams whose lists are deleted in one step.
    private static let gramsPerDeletion = 250

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        let isIdle =
            try Self.findNextSpan(db) == nil && Self.findSpanWithoutFilter(db) == nil && Self.findStaleSpans(db).isEmpty
        return isIdle ? Self.roundInterval : .zero
    }

    func run(from start: WorkerStart) async {
        let finished = Mutex(start.pause == .zero ? nil : start.revision)
        await signal.run(logger, after: start.pause, whenFailed: "search index not written") {
            // If the store has not changed, the worker does not read the database, so that the resources of the
            // database stay released.
            let revision = store.revision.load(ordering: .acquiring)
            guard finished.withLock({ $0 }) != revision else { return Self.roundInterval }
            while !Task.isCancelled, try await buildNextSpan() {}
            if try await !rewriteStaleSpans() { finished.withLock { $0 = revision } }
            return Self.roundInterval
        }
    }

    /// Builds the next span of the index. If there is none, adds the missing Bloom filter to a span that an older
    /// version of the program has built.
    /// - Returns: whether there was a span to build, or a span without a filter.
    func buildNextSpan() async throws -> Bool {
        guard let next = try await store.read({ try Self.findNextSpan($0) }) else {
            return try await buildMissingFilter()
        }
        try await writeSpan(next)
        return true
    }

    /// Returns the next span whose messages all exist.
    private static func findNextSpan(_ db: StoreConnection) throws -> SearchSpan? {
        let covered: Int64 = try db.firstRow("SELECT covered FROM search_state")?.readCount("covered") ?? 0
        let newest = try db.firstRow("SELECT max(chat_item_id) AS id FROM chat_items")?.int64OrNil("id") ?? -1
        // When all small spans of a large span are built, the large span replaces them.
        let perLarge = SearchSpan.largeSize / SearchSpan.smallSize
        let complete = covered / SearchSpan.largeSize * perLarge
        let first = try db.queryFirst(
            "SELECT min(span) AS span FROM search_spans WHERE is_large = 0 AND span < ?",
            [complete]
        )
        if let small: Int64 = try first?.readCountOrNil("span", upTo: TrigramIndex.spanMask) {
            return SearchSpan(isLarge: true, spanNumber: small / perLarge)
        }
        if covered % SearchSpan.largeSize == 0, newest >= covered + SearchSpan.largeSize - 1 {
            return SearchSpan(isLarge: true, spanNumber: covered / SearchSpan.largeSize)
        }
        guard newest >= covered + SearchSpan.smallSize - 1, covered / SearchSpan.smallSize <= TrigramIndex.spanMask
        else {
            return nil
        }
        return SearchSpan(isLarge: false, spanNumber: covered / SearchSpan.smallSize)
    }

    /// Returns one of the large spans (ranges of message ids) that have no Bloom filter; nil if there is none.
    private static func findSpanWithoutFilter(_ db: StoreConnection) throws -> SearchSpan? {
        let missing =
            "SELECT span FROM search_spans WHERE is_large = 1 AND span NOT IN (SELECT span FROM search_span_runs) LIMIT 1"
        return try db.firstRow(missing).map {
            SearchSpan(isLarge: true, spanNumber: try $0.readCount("span", upTo: TrigramIndex.spanMask))
        }
    }

    /// Returns the spans of the index to rewrite after deletions of messages. These are all spans in a range of message
    /// ids that contains deleted messages and has the size of a large span.
    private static func findStaleSpans(_ db: StoreConnection) throws -> [SearchSpan] {
        let first = "SELECT max(large_span, -1 - large_span) AS number FROM search_stale LIMIT 1"
        guard let stale = try db.firstRow(first) else { return [] }
        let number: Int64 = try stale.readCount("number", upTo: TrigramIndex.spanMask)
        let perLarge = SearchSpan.largeSize / SearchSpan.smallSize
        let spans = try db.query(
            """
            SELECT is_large, span FROM search_spans
            WHERE (is_large = 1 AND span = :span) OR (is_large = 0 AND span >= :first AND span < :end)
            """,
            ["span": number, "first": number * perLarge, "end": (number + 1) * perLarge]
        )
        return try spans.map {
            SearchSpan(
                isLarge: try $0.bool("is_large"),
                spanNumber: try $0.readCount("span", upTo: TrigramIndex.spanMask)
            )
        }
    }

    /// Rewrites the spans that ``findStaleSpans(_:)`` returns, so that the index contains no deleted or replaced texts
    /// of their range.
    /// - Returns: whether there were such spans.
    @discardableResult func rewriteStaleSpans() async throws -> Bool {
        let stale = try await store.read { try Self.findStaleSpans($0) }
        guard let number = stale.first.map({ $0.start / SearchSpan.largeSize }) else { return false }
        let unfinished = -1 - number
        // In the table `search_stale`, a negative number now replaces the number of the range. The negative number is
        // deleted when all spans of the range are rewritten. Deletions and changes during this work insert the number
        // of the range again.
        try await store.database.write { db in
            try db.insert(into: "search_stale", or: .ignore, ["large_span": unfinished])
            try db.execute("DELETE FROM search_stale WHERE large_span = ?", [number])
        }
        for span in stale { try await writeSpan(span) }
        try await store.database.write { try $0.execute("DELETE FROM search_stale WHERE large_span = ?", [unfinished]) }
        return true
    }

    /// Reads the messages of a span, and writes for each trigram the list of the messages that contain the trigram.
    /// Messages that change during this work are recorded, and searches check these messages without the index.
    func writeSpan(_ span: SearchSpan) async throws {
        let database = store.database
        try await database.write { try $0.execute("UPDATE search_state SET watched = max(watched, ?)", [span.end]) }
        let (index, lastNote, before) = try await database.read { db in
            (
                try SpanIndexBuilder(span, db),
                try db.firstRow("SELECT max(note) AS note FROM search_changed")?.int64OrNil("note") ?? 0,
                span.isLarge
                    ? try db.queryFirst("SELECT grams FROM search_span_grams WHERE span = ?", [span.spanNumber])?.blob(
                        "grams"
                    )
                        ?? [] : []
            )
        }
        guard span.isLarge else { return try await writeSmallSpan(span, index, upTo: lastNote) }
        let grams = index.grams
        let gone = Set(StoredNumbers.decode(before)).subtracting(grams)
        var sizes: [TrigramIndex.Gram: Int64] = [:]
        for chunk in (grams + gone.sorted()).chunks(of: Self.rowsPerWrite) {
            let now = try await database.write { db in
                try chunk.map { try Self.storeList(index.encodeList($0), $0, span, db) }
            }
            for (gram, bytes) in zip(chunk, now) { sizes[gram] = bytes }
        }
        let bloomFilter = index.bloomFilter ?? BloomFilter()
        let combined = try await combineFilters(bloomFilter, of: span.spanNumber)
        try await database.write { [sizes] db in
            try index.storeSpan(upTo: lastNote, db)
            var all = try SearchOutline.readSizes(db).sizes
            all.replaceSizes(sizes)
            try db.execute("UPDATE search_sizes SET sizes = ?", [all.storedBytes])
            try Self.storeFilter(bloomFilter, of: span.spanNumber, all: combined, db)
            try db.insert(
                into: "search_span_grams",
                or: .replace,
                ["span": span.spanNumber, "grams": StoredNumbers.encode(grams)]
            )
            try db.execute(
                "DELETE FROM search_spans WHERE is_large = 0 AND span < ?",
                [span.end / SearchSpan.smallSize]
            )
        }
        try await deleteSmallLists(of: grams, before: span.end)
    }

    private func writeSmallSpan(_ span: SearchSpan, _ index: SpanIndexBuilder, upTo lastNote: Int64) async throws {
        try await store.database.write { db in
            if try db.queryFirst("SELECT 1 FROM search_spans WHERE is_large = 0 AND span = ?", [span.spanNumber]) != nil
            {
                try db.execute(
                    "DELETE FROM search_small_lists WHERE list & :mask = :span",
                    ["mask": TrigramIndex.spanMask, "span": span.spanNumber]
                )
            }
            try index.insertSmallLists(db)
            try index.storeSpan(upTo: lastNote, db)
        }
    }

    /// Deletes the lists of the small spans before the end of a large span. These lists are no longer used.
    /// - Parameters:
    ///   - grams: the trigrams of the large span. Each step of the deletion deletes the lists of some trigrams.
    ///   - end: the id of the first item after the large span.
    private func deleteSmallLists(of grams: [TrigramIndex.Gram], before end: Int64) async throws {
        let inner = stride(from: Self.gramsPerDeletion, to: grams.count, by: Self.gramsPerDeletion).map {
            TrigramIndex.listKey(grams[$0], span: 0)
        }
        let bounds = [Int64.min] + inner + [Int64.max]
        for (first, last) in zip(bounds, bounds.dropFirst()) {
            try await store.database.write { db in
                try db.execute(
                    "DELETE FROM search_small_lists WHERE list >= :first AND list < :last AND list & :mask < :end_span",
                    [
                        "first": first, "last": last, "mask": TrigramIndex.spanMask,
                        "end_span": end / SearchSpan.smallSize,
                    ]
                )
            }
        }
    }

    /// Builds the missing Bloom filter of one large span of the search index. Messages that change during this work are
    /// recorded, and the search later checks them without the filter.
    /// - Returns: whether there was a span without a filter.
    private func buildMissingFilter() async throws -> Bool {
        let learned = try await store.database.read { db -> (span: SearchSpan, bloomFilter: BloomFilter)? in
            guard let span = try Self.findSpanWithoutFilter(db) else { return nil }
            var bloomFilter = BloomFilter()
            for row in try db.query(
                "SELECT item_text FROM chat_items WHERE chat_item_id >= :start AND chat_item_id < :end",
                ["start": span.start, "end": span.end]
            ) {
                bloomFilter.add(try row.string("item_text"))
            }
            return (span, bloomFilter)
        }
        guard let learned else { return false }
        let all = try await combineFilters(learned.bloomFilter, of: learned.span.spanNumber)
        try await store.database.write {
            try Self.storeFilter(learned.bloomFilter, of: learned.span.spanNumber, all: all, $0)
        }
        return true
    }

    /// Combines the Bloom filter `own` of a large span with the filters of all other large spans; nil if one of the
    /// other filters is unknown.
    private func combineFilters(_ own: BloomFilter, of span: Int64) async throws -> BloomFilter? {
        try await store.database.read { db in
            var all = own, known: Int64 = 0
            try db.forEachBlob("SELECT span, runs FROM search_span_runs WHERE span <> ?", arguments: [span]) {
                _,
                bloomFilter in
                all.merge(bloomFilter)
                known += 1
            }
            let others = try db.queryFirst(
                "SELECT count(*) AS n FROM search_spans WHERE is_large = 1 AND span <> ?",
                [span]
            )
            return try known == others?.readCount("n") ?? 0 ? all : nil
        }
    }

    private static func storeFilter(
        _ bloomFilter: BloomFilter,
        of span: Int64,
        all: BloomFilter?,
        _ db: StoreConnection
    ) throws {
        try db.insert(into: "search_span_runs", or: .replace, ["span": span, "runs": bloomFilter.bytes])
        try db.execute("UPDATE search_sizes SET runs = ?", [all?.bytes])
        try db.execute("UPDATE search_state SET sizes_written = sizes_written + 1")
    }

    /// Writes or deletes the list of a trigram in a large span, and updates the total size of the trigram's lists.
    /// - Returns: the size of the trigram's lists in all large spans, in bytes.
    private static func storeList(
        _ list: [UInt8]?,
        _ gram: TrigramIndex.Gram,
        _ span: SearchSpan,
        _ db: StoreConnection
    ) throws -> Int64 {
        let number = TrigramIndex.listKey(gram, span: span.spanNumber)
        let known = try db.queryFirst("SELECT length(items) AS bytes FROM search_large_lists WHERE list = ?", [number])
        let before: Int64 = try known?.readCount("bytes") ?? 0
        if let list {
            try db.insert(into: "search_large_lists", or: .replace, ["list": number, "items": list])
        } else {
            try db.execute("DELETE FROM search_large_lists WHERE list = ?", [number])
        }
        let all = try db.queryFirst("SELECT bytes FROM search_totals WHERE gram = ?", [gram])
        let total: Int64 = try all?.readClampedCount("bytes", upTo: Row.maxCount) ?? 0
        let now = total - before + Int64(list?.count ?? 0)
        if now > 0 {
            try db.insert(into: "search_totals", or: .replace, ["gram": gram, "bytes": now])
        } else {
            try db.execute("DELETE FROM search_totals WHERE gram = ?", [gram])
        }
        return now
    }
}
