import ChatStoreTestSupport
import Logging
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Search")
struct SearchTests {
    @Test
    func `A search with the index finds the same items as a full scan, after any changes, moves and deletions`()
        async throws
    {
        let store = try await TemporaryStore()
        let worker = SearchIndexWorker(store: store.chats, logger: Logger(label: "test"))
        try await store.chats.write { tx in try tx.addUsers() }
        var random = SeededRandom(seed: 3)
        let outline = SearchOutline()
        // There is more than one large span, followed by some small ones.
        for round in 0..<5 {
            try await store.chats.write { [random] tx in
                var random = random
                for index in 0..<4_000 {
                    // A few messages are far from their place in time.
                    let time =
                        Int64(round * 4_000 + index)
                        + (index % 700 == 5 ? .random(in: -9_000...9_000, using: &random) : 0)
                    try tx.addItem(
                        user: .random(in: 1...2, using: &random),
                        contact: index % 40 == 0 ? nil : .random(in: 1...3, using: &random),
                        status: "rcvRead",
                        createdAt: time * 1_000_000,
                        itemTs: (time + .random(in: -30...30, using: &random)) * 1_000_000,
                        text: SearchSamples.makeText(&random)
                    )
                }
            }
            random = SeededRandom(seed: random.next())
            while try await worker.buildNextSpan() {}
            try await store.chats.write { [random] tx in
                var random = random
                try SearchSamples.changeItems(tx.db, &random)
            }
            if round % 2 == 1 { try await worker.rewriteStaleSpans() }
            try await store.chats.read { [random] db in
                var random = random
                try SearchSamples.compareResults(20, db, &random, outline)
            }
        }
        let covered = try await store.chats.read {
            try $0.firstRow("SELECT covered FROM search_state")?.int64("covered")
        }
        #expect(try #require(covered) >= SearchSpan.largeSize + SearchSpan.smallSize)
        try await store.chats.read { [random] db in
            var random = random
            try SearchSamples.compareResults(200, db, &random, outline)
        }
    }

    @Test
    func `A small span of the search index has exactly one list for each trigram, also after it is written again`()
        async throws
    {
        let store = try await TemporaryStore()
        let worker = SearchIndexWorker(store: store.chats, logger: Logger(label: "test"))
        let span = SearchSpan(isLarge: false, spanNumber: 0)
        try await store.chats.write { tx in
            try tx.addUsers()
            for index in 0..<SearchSpan.smallSize {
                let text = "message \(index * 7_919)"
                try tx.addItem(user: 1, contact: 1, status: "rcvRead", createdAt: index, text: text)
            }
        }
        for _ in 0..<2 {
            try await worker.writeSpan(span)
            let (index, stored) = try await store.chats.read { db in
                (
                    try SpanIndexBuilder(span, db),
                    try db.query("SELECT list, items FROM search_small_lists ORDER BY list").map {
                        (list: try $0.int64("list"), items: try $0.blob("items"))
                    }
                )
            }
            #expect(stored.count > 2 * SpanIndexBuilder.listsPerInsert)
            #expect(stored.map(\.list) == index.grams.map { TrigramIndex.listKey($0, span: 0) })
            #expect(stored.map(\.items) == index.grams.map { index.encodeList($0) })
        }
    }

    @Test
    func `Small spans of the search index are merged into large spans once, and then nothing is left to merge`()
        async throws
    {
        let store = try await TemporaryStore()
        let worker = SearchIndexWorker(store: store.chats, logger: Logger(label: "test"))
        try await store.chats.write { tx in try tx.addUsers() }
        for (added, written) in [(15_000, 117), (40_000, 59), (100, 1), (12_000, 95)] {
            try await store.chats.write { tx in
                for index in 0..<added {
                    try tx.addItem(user: 1, contact: 1, status: "rcvRead", createdAt: Int64(index), text: "word")
                }
            }
            var count = 0
            while count < 1_000, try await worker.buildNextSpan() { count += 1 }
            #expect(count == written)
        }
        let spans = try await store.chats.read { db in
            try db.query("SELECT is_large, count(*) AS n FROM search_spans GROUP BY is_large ORDER BY is_large").map {
                try $0.int64("n")
            }
        }
        #expect(spans == [12, 4])
    }

    @Test
    func `A deleted message is not in the search index after its span is rewritten, also if a first attempt failed`()
        async throws
    {
        let store = try await TemporaryStore()
        let worker = SearchIndexWorker(store: store.chats, logger: Logger(label: "test"))
        try await store.chats.write { tx in
            try tx.addUsers()
            for index in 0..<18_000 as Range<Int64> {
                try tx.addItem(
                    user: 1,
                    contact: 1,
                    status: "rcvRead",
                    createdAt: index,
                    text: index % 10_000 == 9_000 ? "the secret Xylophon" : "word"
                )
            }
        }
        while try await worker.buildNextSpan() {}
        let pieces = TrigramIndex.requiredKeyRanges(for: "xylophon").map { String($0.lowerBound) }.joined(
            separator: ","
        )
        let kept =
            "SELECT (SELECT count(*) FROM search_large_lists WHERE list >> 26 IN (\(pieces))) + (SELECT count(*) FROM search_small_lists WHERE list >> 26 IN (\(pieces)))"
        #expect(try await store.chats.read { try $0.firstRow(kept)?.int64(0) } ?? 0 > 0)
        #expect(try await store.chats.read { try SearchOutline.readSizes($0).bloomFilter.mayContain("Xylophon") })
        try await store.chats.write { tx in
            try tx.db.execute("DELETE FROM chat_items WHERE item_text LIKE '%xylophon%'")
        }
        // The first attempt fails in the middle, and is repeated later.
        try await store.chats.database.write {
            try $0.execute(
                "CREATE TRIGGER refused BEFORE UPDATE ON search_state WHEN NEW.watched >= 0 BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
        }
        await #expect(throws: DatabaseError.self) { try await worker.rewriteStaleSpans() }
        try await store.chats.database.write { try $0.execute("DROP TRIGGER refused") }
        for _ in 0..<3 { try await worker.rewriteStaleSpans() }
        #expect(try await store.chats.read { try $0.firstRow(kept)?.int64(0) } == 0)
        #expect(try await store.chats.read { try $0.firstRow("SELECT count(*) FROM search_stale")?.int64(0) } == 0)
        #expect(try await !store.chats.read { try SearchOutline.readSizes($0).bloomFilter.mayContain("Xylophon") })
    }

    @Test
    func `The stored sizes of search index lists and the sums of these sizes are unchanged when read again`() {
        var random = SeededRandom(seed: 6)
        var expected: [TrigramIndex.Gram: Int64] = [:], sizes = ListSizes()
        for _ in 0..<20 {
            var changed: [TrigramIndex.Gram: Int64] = [:]
            for _ in 0..<30 {
                changed[.random(in: -20...50, using: &random)] = max(0, .random(in: -100...100, using: &random))
            }
            expected.merge(changed) { $1 }
            sizes.replaceSizes(changed)
            sizes = ListSizes(stored: sizes.storedBytes)
            for gram in -25...55 as ClosedRange<TrigramIndex.Gram> {
                #expect(sizes.totalBytes(of: gram..<gram + 1) == expected[gram] ?? 0)
            }
            #expect(
                sizes.totalBytes(of: -10..<20) == expected.filter { (-10..<20).contains($0.key) }.values.reduce(0, +)
            )
        }
        // For a list that is too long for an exact size, an approximate size is stored.
        #expect(ListSizes([(gram: 5, bytes: .max), (gram: 6, bytes: 1)]).totalBytes(of: 5..<6) > 60_000_000)
    }

    @Test
    func `A Bloom filter finds added texts in upper and lower case, and an unreadable filter matches everything`() {
        var random = SeededRandom(seed: 7)
        var bloomFilter = BloomFilter(), others = BloomFilter()
        for index in 0..<200 {
            let text = SearchSamples.makeText(&random)
            if index % 2 == 0 { bloomFilter.add(text) } else { others.add(text) }
            let characters = Array(text.unicodeScalars)
            let part = String(
                String.UnicodeScalarView(characters[Int.random(in: 0..<characters.count, using: &random)...])
            )
            #expect((index % 2 == 0 ? bloomFilter : others).mayContain(part))
        }
        bloomFilter.add("WE read ÄÖ")
        #expect(
            bloomFilter.mayContain("we READ") && bloomFilter.mayContain("ad ÄÖ") && bloomFilter.mayContain("zzz")
                && bloomFilter.mayContain("")
        )
        #expect(!bloomFilter.mayContain("we reap") && !bloomFilter.mayContain("ad äÖ") && !others.mayContain("we read"))
        bloomFilter.merge(others.bytes.span)
        #expect(
            bloomFilter.mayContain("we read") && bloomFilter.mayContain("STATIONS")
                && BloomFilter(stored: bloomFilter.bytes).mayContain("stations")
        )
        #expect(BloomFilter(stored: nil).mayContain("we reap") && BloomFilter(stored: [1, 2]).mayContain("we reap"))
        bloomFilter.merge([1, 2].span)
        #expect(bloomFilter.mayContain("we reap"))
    }

    @Test
    func `Encoded lists of the search index decode to the same ids, and random bytes also decode to a valid list`() {
        var random = SeededRandom(seed: 5)
        for count in [0, 1, 5, 100, 128, 129, 1_000] {
            let offsets = Set((0..<count).map { _ in UInt16.random(in: 0..<1_024, using: &random) }).sorted()
            let encoded = GramList.encode(offsets, size: 1_024)
            #expect(decodeIDs(encoded) == offsets.map { 5_000 + Int64($0) })
        }
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            let ids = decodeIDs(bytes)
            #expect(ids == Set(ids).sorted() && ids.allSatisfy { (5_000..<6_024).contains($0) })
        }
    }
}

private func decodeIDs(_ bytes: [UInt8]) -> [Int64] {
    var ids: [Int64] = []
    GramList.decode(bytes.span, size: 1_024, from: 5_000, into: &ids)
    return ids
}
