internal import Logging
internal import SQLCipher

/// Writes the index of messages behind them: a span as soon as all its messages are there, and again when something of it was deleted, so that
/// nothing stays of what is gone. It writes little at a time: nobody waits long for it.
final class SearchIndexWorker: Sendable {
    private let store: ChatStore
    private let logger: Logger
    private let signal = WakeSignal()

    /// How often what was deleted is looked for, and how long one span is left alone after another was written again.
    private static let interval: Duration = .seconds(60)
    private static let rowsAtOnce = 500
    /// The lists of so many pieces are deleted at a time.
    private static let grams = 250

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// A span may be complete.
    func wake() { signal.signal() }

    func run() async {
        await signal.run(logger, whenFailed: "search index not written") {
            while !Task.isCancelled, try await coverNext() {}
            try await refreshOne()
            return Self.interval
        }
    }

    /// Makes the next span of messages that have none, or what is missing of one that was made by an older program.
    /// - Returns: whether there was one.
    func coverNext() async throws -> Bool {
        let next = try await store.read { db -> SearchSpan? in
            let covered = try db.first("SELECT covered FROM search_state")?.int64("covered") ?? 0
            let newest = try db.first("SELECT max(chat_item_id) AS id FROM chat_items")?.int64OrNil("id") ?? -1
            // The small spans of a large one are complete: it takes their place.
            let perLarge = SearchSpan.large / SearchSpan.small
            let complete = covered / SearchSpan.large * perLarge
            let small = try db.first("SELECT min(span) AS span FROM search_spans WHERE is_large = 0 AND span < ?", [complete])?.int64OrNil("span")
            if let small { return SearchSpan(isLarge: true, number: small / perLarge) }
            if covered % SearchSpan.large == 0, newest >= covered + SearchSpan.large - 1 {
                return SearchSpan(isLarge: true, number: covered / SearchSpan.large)
            }
            guard newest >= covered + SearchSpan.small - 1, covered / SearchSpan.small <= Grams.spanMask else { return nil }
            return SearchSpan(isLarge: false, number: covered / SearchSpan.small)
        }
        guard let next else { return try await learnRuns() }
        try await write(next)
        return true
    }

    /// Writes one of the spans again that hold what is gone.
    func refreshOne() async throws {
        let stale = try await store.read { db -> [SearchSpan] in
            guard let number = try db.first("SELECT large_span FROM search_stale LIMIT 1")?.int64("large_span") else { return [] }
            let perLarge = SearchSpan.large / SearchSpan.small
            let spans = try db.query(
                "SELECT is_large, span FROM search_spans WHERE (is_large = 1 AND span = ?) OR (is_large = 0 AND span >= ? AND span < ?)",
                [number, number * perLarge, (number + 1) * perLarge])
            return try spans.map { SearchSpan(isLarge: try $0.bool("is_large"), number: try $0.int64("span")) }
        }
        guard let number = stale.first.map({ $0.start / SearchSpan.large }) else { return }
        // What is deleted from now on makes it stale again.
        try await store.database.write { try $0.execute("DELETE FROM search_stale WHERE large_span = ?", [number]) }
        for span in stale { try await write(span) }
    }

    /// Reads the messages of a span and writes its lists. What is changed while that lasts is noted, and found without them.
    func write(_ span: SearchSpan) async throws {
        let database = store.database
        try await database.write { try $0.execute("UPDATE search_state SET watched = max(watched, ?)", [span.end]) }
        let (index, lastNote, before) = try await database.read { db in
            (
                try SearchIndex(span, db), try db.first("SELECT max(note) AS note FROM search_changed")?.int64OrNil("note") ?? 0,
                span.isLarge
                    ? try db.first("SELECT grams FROM search_span_grams WHERE span = ?", [span.number])?.blob("grams") ?? [] : []
            )
        }
        let grams = index.grams
        guard span.isLarge else {
            return try await database.write { db in
                if try db.first("SELECT 1 FROM search_spans WHERE is_large = 0 AND span = ?", [span.number]) != nil {
                    try db.execute("DELETE FROM search_small_lists WHERE list & ? = ?", [Grams.spanMask, span.number])
                }
                for gram in grams {
                    try db.execute("INSERT INTO search_small_lists VALUES (?, ?)", [Grams.list(gram, span: span.number), index.list(gram)])
                }
                try index.publish(upTo: lastNote, db)
            }
        }
        let gone = Set(StoredNumbers.decoded(before)).subtracting(grams)
        var sizes: [Grams.Gram: Int64] = [:]
        for chunk in (grams + gone.sorted()).chunks(of: Self.rowsAtOnce) {
            let now = try await database.write { db in try chunk.map { try Self.put(index.list($0), $0, span, db) } }
            for (gram, bytes) in zip(chunk, now) { sizes[gram] = bytes }
        }
        let runs = index.runs ?? RunFilter()
        let allRuns = try await allRuns(runs, of: span.number)
        try await database.write { [sizes] db in
            try index.publish(upTo: lastNote, db)
            var all = try SearchOutline.sizes(db).sizes
            all.change(sizes)
            try db.execute("UPDATE search_sizes SET sizes = ?", [all.stored])
            try Self.put(runs, of: span.number, all: allRuns, db)
            try db.execute("INSERT OR REPLACE INTO search_span_grams VALUES (?, ?)", [span.number, StoredNumbers.encoded(grams)])
            try db.execute("DELETE FROM search_spans WHERE is_large = 0 AND span < ?", [span.end / SearchSpan.small])
        }
        // Nobody reads the lists of the small spans any more.
        let inner = stride(from: Self.grams, to: grams.count, by: Self.grams).map { Grams.list(grams[$0], span: 0) }
        let bounds = [Int64.min] + inner + [Int64.max]
        for (first, end) in zip(bounds, bounds.dropFirst()) {
            try await database.write { db in
                try db.execute(
                    "DELETE FROM search_small_lists WHERE list >= ? AND list < ? AND list & ? < ?",
                    [first, end, Grams.spanMask, span.end / SearchSpan.small])
            }
        }
    }

    /// Learns the runs of a large span that was written when none were kept. A message that is changed meanwhile is noted, and found without them.
    /// - Returns: whether there was one.
    private func learnRuns() async throws -> Bool {
        let learned = try await store.database.read { db -> (span: SearchSpan, runs: RunFilter)? in
            let missing = "SELECT span FROM search_spans WHERE is_large = 1 AND span NOT IN (SELECT span FROM search_span_runs) LIMIT 1"
            guard let number = try db.first(missing)?.int64(0) else { return nil }
            let span = SearchSpan(isLarge: true, number: number)
            var runs = RunFilter()
            for row in try db.query("SELECT item_text FROM chat_items WHERE chat_item_id >= ? AND chat_item_id < ?", [span.start, span.end]) {
                runs.note(try row.string(0))
            }
            return (span, runs)
        }
        guard let learned else { return false }
        let all = try await allRuns(learned.runs, of: learned.span.number)
        try await store.database.write { try Self.put(learned.runs, of: learned.span.number, all: all, $0) }
        return true
    }

    /// The runs of this span and of all other large ones; nil when those of another are not known.
    private func allRuns(_ own: RunFilter, of span: Int64) async throws -> RunFilter? {
        try await store.database.read { db in
            var all = own, known: Int64 = 0
            try db.forEachBlob("SELECT span, runs FROM search_span_runs WHERE span <> ?", arguments: [span]) { _, runs in
                all.add(runs)
                known += 1
            }
            let others = try db.first("SELECT count(*) FROM search_spans WHERE is_large = 1 AND span <> ?", [span])?.int64(0) ?? 0
            return known == others ? all : nil
        }
    }

    private static func put(_ runs: RunFilter, of span: Int64, all: RunFilter?, _ db: StoreConnection) throws {
        try db.execute("INSERT OR REPLACE INTO search_span_runs VALUES (?, ?)", [span, runs.stored])
        try db.execute("UPDATE search_sizes SET runs = ?", [all?.stored])
        try db.execute("UPDATE search_state SET sizes_written = sizes_written + 1")
    }

    /// Writes the list of a piece, or takes it away, and counts its bytes.
    /// - Returns: how many bytes the lists of the piece have now in all large spans.
    private static func put(_ list: [UInt8]?, _ gram: Grams.Gram, _ span: SearchSpan, _ db: StoreConnection) throws -> Int64 {
        let number = Grams.list(gram, span: span.number)
        let before = try db.first("SELECT length(items) FROM search_large_lists WHERE list = ?", [number])?.int64(0) ?? 0
        if let list {
            try db.execute("INSERT OR REPLACE INTO search_large_lists VALUES (?, ?)", [number, list])
        } else {
            try db.execute("DELETE FROM search_large_lists WHERE list = ?", [number])
        }
        let total = try db.first("SELECT bytes FROM search_totals WHERE gram = ?", [gram])?.int64(0) ?? 0
        let now = total - before + Int64(list?.count ?? 0)
        try db.execute(
            now > 0 ? "INSERT OR REPLACE INTO search_totals VALUES (?1, ?2)" : "DELETE FROM search_totals WHERE gram = ?1 AND ?2 <= 0", [gram, now])
        return now
    }
}
