internal import SQLCipher

/// Reads the index lists of the trigrams that a message must contain.
///
/// The shortest lists are read first. If two trigrams overlap in the text, the list of the second trigram is read last,
/// because it excludes few messages.
package struct SearchLists {
    private let wantedGrams: [WantedGrams]
    private let db: StoreConnection
    /// Whether a part of the search text stands for a range of several trigrams, so that the lists of all these
    /// trigrams must be read.
    package let hasGramRange: Bool

    private struct WantedGrams {
        var grams: Range<TrigramIndex.Gram>
        /// The size of the lists of `grams` in all large spans, in bytes.
        var listBytes: Int64
    }

    /// Spans (ranges of message ids) of one size, with consecutive numbers.
    package struct SpanGroup {
        package let isLarge: Bool
        package let spanNumbers: ClosedRange<Int64>
        /// The first and the last time of the group's messages: times of sending, or times of storing.
        package let firstTime: Int64
        package let lastTime: Int64
        /// The longest time by which a message is earlier than a message with a smaller id. It is 0 if the messages
        /// have the same order by time and by id, and nil if it is unknown.
        package let maxTimeReversal: Int64?

        package init(isLarge: Bool, numbers: ClosedRange<Int64>, first: Int64, last: Int64, maxTimeReversal: Int64?) {
            (self.isLarge, self.spanNumbers) = (isLarge, numbers)
            (self.firstTime, self.lastTime, self.maxTimeReversal) = (first, last, maxTimeReversal)
        }

        package var size: Int64 { SearchSpan.size(isLarge) }
    }

    /// The number of bytes of lists in one page of the database.
    private static let listBytesPerPage: Int64 = 3_000
    /// The maximum number of pages for the lists of a rare trigram. These lists are read together, and not span by
    /// span.
    private static let maxRareListPages: Int64 = 8
    /// The maximum number of spans whose lists are read one by one. For more spans, all lists in the range of these
    /// spans are read.
    private static let maxSeparateSpans = 16
    /// The maximum number of candidates that are checked without further lists, after a list has excluded few
    /// candidates.
    private static let maxDirectlyCheckedCandidates = 32

    /// Whether the lists of one trigram are so short that few messages contain the trigram.
    package var hasRareGram: Bool {
        wantedGrams.first.map { $0.listBytes <= Self.maxRareListPages * Self.listBytesPerPage } ?? false
    }

    package init(_ wanted: [Range<TrigramIndex.Gram>], _ sizes: ListSizes, _ db: StoreConnection) {
        self.db = db
        hasGramRange = wanted.contains { $0.count > 1 }
        let all = wanted.map { WantedGrams(grams: $0, listBytes: sizes.totalBytes(of: $0)) }.sorted {
            $0.listBytes < $1.listBytes
        }
        // If two trigrams overlap in the text, messages with one of the two trigrams often contain both trigrams. The
        // second trigram then excludes few messages, so it is used last.
        var apart: [WantedGrams] = [], beside: [WantedGrams] = []
        for piece in all {
            if apart.contains(where: { TrigramIndex.canOverlap($0.grams.lowerBound, piece.grams.lowerBound) }) {
                beside.append(piece)
            } else {
                apart.append(piece)
            }
        }
        wantedGrams = apart + beside
    }

    /// Returns the sorted ids of messages that may match. The function reads no further list if checking the candidates
    /// costs less, so a candidate may lack some of the trigrams.
    package func findCandidates(in group: SpanGroup) throws -> [Int64] {
        // A trigram without lists does not occur in any large span, so no message matches.
        if group.isLarge, let rarest = wantedGrams.first, rarest.listBytes == 0 { return [] }
        var ids: [Int64]?, isSettled = false
        for piece in wantedGrams {
            guard let before = ids else {
                ids = try readIds(of: piece, in: group)
                continue
            }
            guard !before.isEmpty else { return [] }
            let spans = Self.groupBySpan(of: before, size: group.size)
            // Checking one message reads two pages of the database. Reading the list of one span also reads two pages.
            // The next list is read only if this needs fewer pages than checking all candidates.
            let pages = group.isLarge ? min(piece.listBytes / Self.listBytesPerPage + 2, 2 * Int64(spans.count)) : 2
            if 2 * Int64(before.count) <= pages || (isSettled && before.count <= Self.maxDirectlyCheckedCandidates) {
                return before
            }
            let common = try filterIdsByLists(before, spans, piece, in: group)
            // If the list has excluded at most a quarter of the messages, the next lists probably exclude few too. Then
            // a small number of messages is checked without the next lists.
            isSettled = 4 * common.count > 3 * before.count
            ids = common
        }
        return ids ?? []
    }

    private func readIds(of piece: WantedGrams, in group: SpanGroup) throws -> [Int64] {
        var ids: [Int64] = []
        let isOne = piece.grams.count == 1
        try forEachList(of: piece, in: group, numbers: group.spanNumbers) { start, list in
            GramList.decode(list, size: group.size, from: start, into: &ids)
        }
        if !isOne {
            ids.sort()
            var last: Int64?
            ids.removeAll { id in
                defer { last = id }
                return id == last
            }
        }
        return ids
    }

    /// Returns the given ids that also occur in the lists of the trigrams `piece`.
    private func filterIdsByLists(
        _ ids: [Int64],
        _ spans: [Int64: Range<Int>],
        _ piece: WantedGrams,
        in group: SpanGroup
    ) throws -> [Int64] {
        // An id may be in the lists of several trigrams of the piece, so all lists are merged first.
        guard piece.grams.count == 1 else {
            let listed = Set(try readIds(of: piece, in: group))
            return ids.filter(listed.contains)
        }
        guard let first = ids.first, let last = ids.last else { return [] }
        var common: [Int64] = []
        func addCommonIds(_ start: Int64, _ list: Span<UInt8>) {
            guard let own = spans[start / group.size] else { return }
            GramList.appendCommonIds(ids[own], list, size: group.size, from: start, into: &common)
        }
        if group.isLarge, spans.count <= Self.maxSeparateSpans {
            try forEachList(of: piece, in: group, spans: spans.keys.sorted(), addCommonIds)
        } else {
            try forEachList(of: piece, in: group, numbers: first / group.size...last / group.size, addCommonIds)
        }
        return common
    }

    /// Calls `body` with each list and the first id of its span. The list contains offsets from this id.
    private func forEachList(
        of piece: WantedGrams,
        in group: SpanGroup,
        numbers: ClosedRange<Int64>,
        _ body: (_ start: Int64, _ list: Span<UInt8>) -> Void
    ) throws {
        if piece.grams.count == 1 {
            return try forEachList(
                in: group,
                "list >= ? AND list <= ? ORDER BY list",
                [
                    TrigramIndex.listKey(piece.grams.lowerBound, span: numbers.lowerBound),
                    TrigramIndex.listKey(piece.grams.lowerBound, span: numbers.upperBound),
                ],
                body
            )
        }
        try forEachList(
            in: group,
            "list >= ? AND list < ? AND list & ? BETWEEN ? AND ?",
            [
                TrigramIndex.listKey(piece.grams.lowerBound, span: 0),
                TrigramIndex.listKey(piece.grams.upperBound, span: 0),
                TrigramIndex.spanMask, numbers.lowerBound,
                numbers.upperBound,
            ],
            body
        )
    }

    private func forEachList(
        of piece: WantedGrams,
        in group: SpanGroup,
        spans: [Int64],
        _ body: (_ start: Int64, _ list: Span<UInt8>) -> Void
    ) throws {
        // The number of placeholders is fixed, so that the same statement serves any number of lists.
        let lists: [Argument] = (0..<Self.maxSeparateSpans).map {
            $0 < spans.count ? TrigramIndex.listKey(piece.grams.lowerBound, span: spans[$0]) : nil
        }
        try forEachList(in: group, "list IN (\(placeholders(Self.maxSeparateSpans))) ORDER BY list", lists, body)
    }

    private func forEachList(
        in group: SpanGroup,
        _ condition: String,
        _ arguments: [Argument],
        _ body: (_ start: Int64, _ list: Span<UInt8>) -> Void
    ) throws {
        let table = group.isLarge ? "search_large_lists" : "search_small_lists"
        try db.forEachBlob("SELECT list, items FROM \(table) WHERE \(condition)", arguments: arguments) {
            number,
            list in
            body((number & TrigramIndex.spanMask) &* group.size, list)
        }
    }

    /// Returns the spans of the ids, each with the range of its ids in the array.
    private static func groupBySpan(of ids: [Int64], size: Int64) -> [Int64: Range<Int>] {
        var spans: [Int64: Range<Int>] = [:]
        var start = 0
        while start < ids.count {
            let span = ids[start] / size, next = (span + 1) &* size
            var end = start + 1
            while end < ids.count, ids[end] < next { end += 1 }
            spans[span] = start..<end
            start = end
        }
        return spans
    }
}
