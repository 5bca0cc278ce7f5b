internal import ChatAPI
internal import SQLCipher

/// Which messages hold a text, in the order of a page: found by the pieces of the text, then looked at themselves.
///
/// The index only says where it is worth looking. What is not in it (the newest messages, and those that were changed) is looked at anyway.
struct ItemSearch {
    /// Where it is looked for: among all messages of a user by the time at which they were sent, or in one chat in its own order.
    enum Place {
        case user(Int64)
        case chat(any ItemChat)
    }

    let place: Place
    let filter: ItemFilter
    let db: StoreConnection

    static func serves(_ filter: ItemFilter) -> Bool { !filter.search.isEmpty }

    /// So many messages are looked at before the index is.
    private static let lookedAtFirst: Int64 = 512
    /// So few candidates are looked at rather than made fewer.
    private static let fewCandidates = 64
    /// As many of the newest spans are asked one by one: what is found often is found there.
    private static let spansAskedFirst = 2

    private var order: (ts: String, first: String, last: String) {
        switch place {
        case .user: ("item_ts", "first_ts", "last_ts")
        case .chat: ("created_at", "first_created", "last_created")
        }
    }

    private var condition: (sql: String, arguments: [Argument]) {
        let (filter, arguments) = filter.condition
        // With a plus they lead to no index: the ids do.
        return switch place {
        case .user(let userId): ("+i.user_id = ?\(filter)", [userId] + arguments)
        case .chat(let chat): ("+i.user_id = ? AND +i.\(type(of: chat).itemColumn) = ?\(filter)", [chat.userId, chat.itemKey] + arguments)
        }
    }

    /// The ids of up to `count` messages next to an item (nil: the last ones), the nearest first.
    func page(_ direction: ItemQueries.Direction, _ item: (ts: Int64, id: Int64)?, count: Int) throws -> [Int64] {
        guard count > 0 else { return [] }
        if let ids = try nearest(direction, item, count: count) { return ids }
        var found = Found(direction: direction, limit: count)
        let covered = try db.first("SELECT covered FROM search_state")?.int64("covered") ?? 0
        try look("i.chat_item_id >= ?", [covered], beside: item, &found)
        try look("i.chat_item_id IN (SELECT chat_item_id FROM search_changed WHERE chat_item_id < ?)", [covered], beside: item, &found)

        let spans = try spans(direction, item)
        let wanted = self.wanted
        let isShort = wanted.contains { $0.count > 1 }
        for (index, span) in spans.enumerated() {
            if let worst = found.worst, direction == .before ? worst > span.last : worst < span.first { return found.ids }
            // What is rare is not worth asking each span for.
            guard span.isRecent || (index < Self.spansAskedFirst && !isShort) else {
                try look(in: Array(spans[index...]), wanted, beside: item, &found)
                return found.ids
            }
            try look(candidates(in: span, wanted), beside: item, &found)
        }
        return found.ids
    }

    /// Looks at the nearest messages as they come, which is enough for what is found often, and for chats that have no more.
    /// - Returns: nil when there may be more than was found.
    private func nearest(_ direction: ItemQueries.Direction, _ item: (ts: Int64, id: Int64)?, count: Int) throws -> [Int64]? {
        let (sign, way) = direction == .before ? ("<", "DESC") : (">", "ASC")
        let ts = order.ts
        var (place, arguments): (String, [Argument]) = switch self.place {
        case .user(let userId): ("i.user_id = ?", [userId])
        case .chat(let chat): ("i.user_id = ? AND i.\(type(of: chat).itemColumn) = ?", [chat.userId, chat.itemKey])
        }
        if let item {
            place += " AND i.\(ts) \(sign)= ? AND (i.\(ts) \(sign) ? OR i.chat_item_id \(sign) ?)"
            arguments += [item.ts, item.ts, item.id]
        }
        let (condition, values) = filter.condition
        let ids = try db.query(
            """
            SELECT id FROM (SELECT i.chat_item_id AS id, (1\(condition)) AS fits FROM chat_items i WHERE \(place)
              ORDER BY i.\(ts) \(way), i.chat_item_id \(way) LIMIT \(Self.lookedAtFirst)) WHERE fits LIMIT ?
            """, values + arguments + [Int64(count)]
        ).map { try $0.int64(0) }
        if ids.count >= count { return ids }
        let looked = try db.first(
            "SELECT count(*) AS n FROM (SELECT 1 FROM chat_items i WHERE \(place) LIMIT \(Self.lookedAtFirst))", arguments)?.int64("n") ?? 0
        return looked < Self.lookedAtFirst ? ids : nil
    }

    private struct Span {
        let span: SearchSpan
        let first: Int64
        let last: Int64
        var isRecent: Bool { !span.isLarge }
    }

    /// Those in which there may be something, the nearest first.
    private func spans(_ direction: ItemQueries.Direction, _ item: (ts: Int64, id: Int64)?) throws -> [Span] {
        let (_, first, last) = order
        let beside = item.map { _ in direction == .before ? " WHERE \(first) <= ?" : " WHERE \(last) >= ?" } ?? ""
        return try db.query(
            """
            SELECT is_large, span, \(first) AS first, \(last) AS last FROM search_spans\(beside)
            ORDER BY \(direction == .before ? "\(last) DESC" : first), is_large, span DESC
            """, item.map { [$0.ts] } ?? []
        ).map { row in
            Span(
                span: SearchSpan(isLarge: try row.bool("is_large"), number: try row.int64("span")), first: try row.int64("first"),
                last: try row.int64("last"))
        }
    }

    private var wanted: [Range<Grams.Gram>] {
        let text = Grams.wanted(for: filter.search)
        guard case .chat(let chat) = place else { return text }
        let gram = Grams.chat(user: chat.userId, chat: chat.place.countedAs)
        return [gram..<gram + 1] + text
    }

    /// The ids of messages in a span that have a piece of each range.
    private func candidates(in span: Span, _ wanted: [Range<Grams.Gram>]) throws -> [Int64] {
        let size = Int(span.span.size)
        let table = span.span.isLarge ? "search_grams" : "search_recent"
        var offsets: OffsetSet?
        for grams in wanted {
            var next = OffsetSet([], size: size)
            // One piece is looked up, more are a range.
            let rows = grams.count == 1
                ? try db.query("SELECT items FROM \(table) WHERE gram = ? AND span = ?", [grams.lowerBound, span.span.number])
                : try db.query(
                    "SELECT items FROM \(table) WHERE gram >= ? AND gram < ? AND span = ?", [grams.lowerBound, grams.upperBound, span.span.number])
            for row in rows {
                next.formUnion(OffsetSet(try row.blob(0), size: size))
            }
            if let before = offsets { next.formIntersection(before) }
            offsets = next
            let left = next.count
            if left == 0 { return [] }
            if left <= Self.fewCandidates / 4 { break }
        }
        return (offsets?.offsets ?? []).map { span.span.start + Int64($0) }
    }

    /// Looks in many large spans: the lists of a piece are beside each other.
    private func look(
        in spans: [Span], _ wanted: [Range<Grams.Gram>], beside item: (ts: Int64, id: Int64)?, _ found: inout Found
    ) throws {
        let size = Int(SearchSpan.large)
        var candidates: [Int64: OffsetSet]?
        for grams in wanted {
            var next: [Int64: OffsetSet] = [:]
            for row in try db.query("SELECT span, items FROM search_grams WHERE gram >= ? AND gram < ?", [grams.lowerBound, grams.upperBound]) {
                let span = try row.int64(0)
                if let candidates, candidates[span] == nil { continue }
                next[span, default: OffsetSet([], size: size)].formUnion(OffsetSet(try row.blob(1), size: size))
            }
            if let candidates {
                for (span, before) in candidates { next[span]?.formIntersection(before) }
            }
            next = next.filter { $0.value.count > 0 }
            candidates = next
            if next.values.reduce(0, { $0 + $1.count }) <= Self.fewCandidates { break }
        }
        for span in spans {
            if let worst = found.worst, found.direction == .before ? worst > span.last : worst < span.first { return }
            guard span.span.isLarge else {
                try look(self.candidates(in: span, wanted), beside: item, &found)
                continue
            }
            try look((candidates?[span.span.number]?.offsets ?? []).map { span.span.start + Int64($0) }, beside: item, &found)
        }
    }

    private func look(_ ids: [Int64], beside item: (ts: Int64, id: Int64)?, _ found: inout Found) throws {
        // Ids follow the clock nearly always: the nearest first, so that few have to be looked at.
        let ids = found.direction == .before ? Array(ids.reversed()) : ids
        for chunk in ids.chunks(of: 200) {
            try look("i.chat_item_id IN (\(placeholders(chunk.count)))", chunk.arguments, beside: item, &found)
        }
    }

    private func look(
        _ ids: String, _ arguments: [Argument], beside item: (ts: Int64, id: Int64)?, _ found: inout Found
    ) throws {
        let (condition, values) = condition
        let ts = order.ts
        var sql = "SELECT i.chat_item_id, i.\(ts) FROM chat_items i WHERE \(ids) AND \(condition)"
        var all = arguments + values
        let sign = found.direction == .before ? "<" : ">"
        if let item {
            sql += " AND (+i.\(ts) \(sign) ? OR (+i.\(ts) = ? AND i.chat_item_id \(sign) ?))"
            all += [item.ts, item.ts, item.id]
        }
        for row in try db.query(sql, all) { found.add(try row.int64(0), at: try row.int64(1)) }
    }

    /// The nearest of what was found until now.
    private struct Found {
        let direction: ItemQueries.Direction
        let limit: Int
        private var items: [(ts: Int64, id: Int64)] = []

        init(direction: ItemQueries.Direction, limit: Int) {
            self.direction = direction
            self.limit = limit
        }

        mutating func add(_ id: Int64, at ts: Int64) {
            let precedes: ((ts: Int64, id: Int64), (ts: Int64, id: Int64)) -> Bool = direction == .before ? { $0 > $1 } : { $0 < $1 }
            if items.count >= limit, let last = items.last, !precedes((ts, id), last) { return }
            let place = items.firstIndex { !precedes($0, (ts, id)) } ?? items.count
            if place < items.count, items[place] == (ts, id) { return }
            items.insert((ts, id), at: place)
            if items.count > limit { items.removeLast() }
        }

        /// The time of the farthest, when there are enough.
        var worst: Int64? { items.count >= limit ? items.last?.ts : nil }
        var ids: [Int64] { items.map(\.id) }
    }
}
