internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// A search for messages that contain a text. The trigram index returns candidates, and the search then checks the
/// texts of the candidates.
///
/// The index only reduces the number of candidates. Messages that are not in the index, or were changed after they were
/// indexed, are always checked. The newest messages are not in the index.
struct ItemSearch {
    /// The searched messages: all messages of a user in the order of sending, or the messages of one chat in the order
    /// of the chat.
    enum Scope {
        case user(Int64)
        case chat(any Conversation)
    }

    let scope: Scope
    let filter: ItemFilter
    let db: StoreConnection

    static func supports(_ filter: ItemFilter) -> Bool { !filter.searchText.isEmpty }

    /// The number of messages that one query checks one after the other, without the index. After each query, the
    /// search decides whether to continue in this way or to use the index.
    private static let messagesPerSequenceStep = 64
    /// The search checks messages without the index while at least one in `maxMessagesPerMatch` messages matches. For
    /// rarer matches, the index needs fewer checks. At most `maxSequenceMessages` messages are checked in sequence.
    private static let maxMessagesPerMatch = 8, maxSequenceMessages = 1_024
    /// The number of candidates that one query checks. After each query, the search tests whether it has found enough
    /// messages.
    private static let candidatesPerCheck = 16
    /// The number of large spans that the search reads in its first step, and the number in its second step. A span is
    /// a range of message ids in the index. A frequent word is found in these spans, so the search ends without reading
    /// the rest.
    private static let firstStepSpans: Int64 = 2, secondStepSpans: Int64 = 8

    private var timeColumn: String {
        switch scope {
        case .user: "item_ts"
        case .chat: StoredItemOrder.column
        }
    }

    private func timeRange(_ span: SearchOutline.Span) -> SearchOutline.TimeRange {
        switch scope {
        case .user: span.sentTimes
        case .chat(let chat): if case .group = chat.chatKey { span.sentTimes } else { span.createdTimes }
        }
    }

    /// Returns up to `count` ids of matching messages: the nearest to `item` first, or the last ones if `item` is nil.
    func findPage(_ direction: ItemQueries.Direction, _ item: ItemPlace?, count: Int) throws -> [Int64] {
        guard count > 0 else { return [] }
        var found = NearestMatches(direction: direction, limit: count)
        guard let last = try checkMessagesInSequence(direction, item, &found) else { return found.ids }
        let outline = try filter.searchOutline.readCurrentState(db)
        try addMatches("i.chat_item_id >= ?", [outline.coveredEnd], beside: last, &found)
        try addMatches(
            "i.chat_item_id IN (SELECT chat_item_id FROM search_changed WHERE chat_item_id < ?)",
            [outline.coveredEnd],
            beside: last,
            &found
        )

        let lists = SearchLists(wantedGrams, outline.sizes, db)
        let isInLarge = outline.bloomFilter.mayContain(filter.searchText)
        for range in makeSpanRanges(direction, last, atOnce: lists.hasGramRange || lists.hasRareGram)
        where isInLarge || !range.isLarge {
            let spans = outline.spans.filter { $0.isLarge == range.isLarge && range.numbers.contains($0.number) }
            guard let group = makeGroup(spans), !found.canSkip(group.firstTime...group.lastTime, from: last.ts) else {
                continue
            }
            try checkCandidates(at: lists.findCandidates(in: group), in: group, beside: last, &found)
        }
        return found.ids
    }

    /// Checks the messages next to `item` one after the other, while at least one in ``maxMessagesPerMatch`` messages
    /// matches. For rarer matches, the index needs fewer checks. Checks about ``maxSequenceMessages`` messages at most.
    /// - Returns: the last checked message, after which the search continues with the index; nil if there are no
    ///   further messages, or if enough were found.
    private func checkMessagesInSequence(
        _ direction: ItemQueries.Direction,
        _ item: ItemPlace?,
        _ found: inout NearestMatches
    ) throws -> ItemPlace? {
        let (sign, way) = direction == .before ? ("<", "DESC") : (">", "ASC")
        let (filtered, values) = filter.filterCondition
        let (place, arguments): (String, [Argument]) =
            switch self.scope {
            case .user(let userId):
                // The condition of the filter is in a result column, so it only marks rows. The condition `place`
                // excludes rows.
                filter.messageFilter.since.map { ("i.user_id = ? AND i.item_ts >= ?", [userId, $0.nanoseconds]) }
                    ?? ("i.user_id = ?", [userId])
            case .chat(let chat): filter.chatCondition(in: chat)
            }
        var last = item, checked = 0
        while true {
            let beside = last.map { ($0.ts, $0.id) }
            let rows = try db.query(
                """
                SELECT i.chat_item_id, i.\(timeColumn) AS ts, coalesce(1\(filtered), 0) AS fits FROM chat_items i WHERE \(place)
                \(beside == nil ? "" : "AND i.\(timeColumn) \(sign)= ? AND (i.\(timeColumn) \(sign) ? OR i.chat_item_id \(sign) ?)")
                ORDER BY i.\(timeColumn) \(way), i.chat_item_id \(way) LIMIT \(Self.messagesPerSequenceStep)
                """,
                values + arguments + (beside.map { [$0.0, $0.0, $0.1] } ?? [])
            )
            for row in rows where try row.bool("fits") {
                found.add(try row.int64("chat_item_id"), at: try row.int64("ts"))
            }
            guard !found.isFull, rows.count == Self.messagesPerSequenceStep, let end = rows.last else { return nil }
            let position = (ts: try end.int64("ts"), id: try end.int64("chat_item_id"))
            last = position
            checked += rows.count
            if found.ids.count * Self.maxMessagesPerMatch < checked || checked >= Self.maxSequenceMessages {
                return position
            }
        }
    }

    private var wantedGrams: [Range<TrigramIndex.Gram>] {
        let text = TrigramIndex.requiredKeyRanges(for: filter.searchText)
        guard case .chat(let chat) = scope else { return text }
        let gram = TrigramIndex.chatGram(chat.chatKey, user: chat.userId)
        return [gram..<gram + 1] + text
    }

    /// Returns ranges of span numbers in the order in which the search reads them. A span is a range of message ids in
    /// the index. Ids mostly increase with time, so the order of the ranges follows the direction of the search.
    /// Together, the returned ranges contain all spans.
    /// - Parameter atOnce: whether one range contains all large spans.
    private func makeSpanRanges(
        _ direction: ItemQueries.Direction,
        _ item: ItemPlace,
        atOnce: Bool
    ) -> [(isLarge: Bool, numbers: ClosedRange<Int64>)] {
        let (start, end) = (Int64(0), Int64.max / SearchSpan.largeSize)
        let here = min(max(item.id / SearchSpan.largeSize, start), end - Self.firstStepSpans - Self.secondStepSpans)
        let recent = (isLarge: false, numbers: start...end)
        func makeLargeRange(_ first: Int64, _ last: Int64) -> (isLarge: Bool, numbers: ClosedRange<Int64>)? {
            last < start ? nil : (true, max(first, start)...max(first, start, last))
        }
        if atOnce { return direction == .before ? [recent, (true, start...end)] : [(true, start...end), recent] }
        return switch direction {
        case .before:
            [
                recent, makeLargeRange(here + 1, end), makeLargeRange(here - Self.firstStepSpans + 1, here),
                makeLargeRange(here - Self.firstStepSpans - Self.secondStepSpans + 1, here - Self.firstStepSpans),
                makeLargeRange(start, here - Self.firstStepSpans - Self.secondStepSpans),
            ].compactMap(\.self)
        case .after:
            [
                makeLargeRange(start, here - 1), makeLargeRange(here, here + Self.firstStepSpans - 1),
                makeLargeRange(here + Self.firstStepSpans, here + Self.firstStepSpans + Self.secondStepSpans - 1),
                makeLargeRange(here + Self.firstStepSpans + Self.secondStepSpans, end), recent,
            ].compactMap(\.self)
        }
    }

    /// Returns the given spans as one group; nil if they contain no messages. The spans must all be large, or all be
    /// small.
    private func makeGroup(_ spans: [SearchOutline.Span]) -> SearchLists.SpanGroup? {
        let numbers = spans.map(\.number)
        guard let isLarge = spans.first?.isLarge, let least = numbers.min(), let most = numbers.max() else {
            return nil
        }
        var first = Int64.max, last = Int64.min
        for span in spans {
            first = min(first, timeRange(span).firstTime)
            last = max(last, timeRange(span).lastTime)
        }
        guard first <= last else { return nil }
        return SearchLists.SpanGroup(
            isLarge: isLarge,
            numbers: least...most,
            first: first,
            last: last,
            maxTimeReversal: computeMaxTimeReversal(of: spans)
        )
    }

    /// Returns the maximum time difference between a message and an earlier message with a higher id, for the messages
    /// of the spans; nil if it is unknown.
    private func computeMaxTimeReversal(of spans: [SearchOutline.Span]) -> Int64? {
        var maxTimeReversal: Int64 = 0, latest = Int64.min
        for span in spans {
            let clock = timeRange(span)
            guard let own = clock.maxTimeReversal else { return nil }
            let (difference, isTooMuch) =
                latest > clock.firstTime ? latest.subtractingReportingOverflow(clock.firstTime) : (0, false)
            guard !isTooMuch else { return nil }
            maxTimeReversal = max(maxTimeReversal, own, difference)
            latest = max(latest, clock.lastTime)
        }
        return maxTimeReversal
    }

    /// Checks candidates, the nearest first, until no other candidate can be nearer than the found messages.
    private func checkCandidates(
        at candidates: [Int64],
        in group: SearchLists.SpanGroup,
        beside item: ItemPlace,
        _ found: inout NearestMatches
    ) throws {
        let ids = found.direction == .before ? candidates.reversed() : candidates
        for chunk in ids.chunks(of: Self.candidatesPerCheck) {
            // The number of placeholders is fixed, so that the same statement serves any number of ids.
            let arguments: [Argument] = (0..<Self.candidatesPerCheck).map {
                $0 < chunk.count ? chunk[chunk.startIndex + $0] : nil
            }
            let farthest = try addMatches(
                "i.chat_item_id IN (\(placeholders(Self.candidatesPerCheck)))",
                arguments,
                beside: item,
                &found
            )
            guard chunk.endIndex < ids.endIndex, let farthest, let lastFound = found.farthestTime,
                let most = group.maxTimeReversal
            else {
                continue
            }
            let (end, isTooMuch) =
                found.direction == .before
                ? farthest.addingReportingOverflow(most) : farthest.subtractingReportingOverflow(most)
            if !isTooMuch, found.direction == .before ? lastFound > end : lastFound < end { return }
        }
    }

    /// Reads the messages that fulfil the SQL condition `ids`, and adds each message that matches the search to
    /// `found`.
    /// - Returns: the time of the farthest match; nil without a match.
    @discardableResult private func addMatches(
        _ ids: String,
        _ arguments: [Argument],
        beside item: ItemPlace,
        _ found: inout NearestMatches
    ) throws -> Int64? {
        let (filtered, values) = filter.filterCondition
        // The unary plus prevents the use of indices for these columns, so that SQLite finds the rows by their ids.
        let (condition, place): (String, [Argument]) =
            switch scope {
            case .user(let userId): ("+i.user_id = ?", [userId])
            case .chat(let chat): ("+i.user_id = ? AND +i.chat_type = ? AND +i.chat_id = ?", chat.keyArguments)
            }
        let sign = found.direction == .before ? "<" : ">"
        var farthest: Int64?
        for row in try db.query(
            """
            SELECT i.chat_item_id, i.\(timeColumn) AS ts FROM chat_items i WHERE \(ids) AND \(condition)
              AND (+i.\(timeColumn) \(sign) ? OR (+i.\(timeColumn) = ? AND i.chat_item_id \(sign) ?))\(filtered)
            """,
            arguments + place + [item.ts, item.ts, item.id] + values
        ) {
            let time = try row.int64("ts")
            found.add(try row.int64("chat_item_id"), at: time)
            farthest = farthest.map { found.direction == .before ? min($0, time) : max($0, time) } ?? time
        }
        return farthest
    }

    /// The matching messages found so far that are nearest to the start of the search.
    private struct NearestMatches {
        let direction: ItemQueries.Direction
        let limit: Int
        private var items: [ItemPlace] = []

        init(direction: ItemQueries.Direction, limit: Int) {
            self.direction = direction
            self.limit = limit
        }

        mutating func add(_ id: Int64, at ts: Int64) {
            let precedes: (ItemPlace, ItemPlace) -> Bool = direction == .before ? { $0 > $1 } : { $0 < $1 }
            if isFull, let last = items.last, !precedes((ts, id), last) { return }
            // Most messages are added in order, so the end of the list is tried first.
            let place =
                items.last.map { precedes($0, (ts, id)) } ?? true
                ? items.count : items.firstIndex { !precedes($0, (ts, id)) } ?? items.count
            if place < items.count, items[place] == (ts, id) { return }
            items.insert((ts, id), at: place)
            if items.count > limit { items.removeLast() }
        }

        var isFull: Bool { items.count >= limit }
        /// The time of the farthest match; nil until enough matches were found.
        var farthestTime: Int64? { isFull ? items.last?.ts : nil }
        var ids: [Int64] { items.map(\.id) }

        /// Whether the search can skip this range of times. All messages in the range lie on the wrong side of `start`,
        /// or the search has already found enough nearer matches.
        func canSkip(_ times: ClosedRange<Int64>, from start: Int64) -> Bool {
            switch direction {
            case .before: times.lowerBound > start || farthestTime.map { $0 > times.upperBound } ?? false
            case .after: times.upperBound < start || farthestTime.map { $0 < times.lowerBound } ?? false
            }
        }
    }
}
