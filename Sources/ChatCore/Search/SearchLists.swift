internal import SQLCipher

/// The pieces that a message must have, those with the shortest lists first, and the lists of the messages that have them.
struct SearchLists {
    private let pieces: [Piece]
    private let db: StoreConnection
    /// Whether a piece stands for many, whose lists are all to be read.
    let isShort: Bool

    private struct Piece {
        var grams: Range<Grams.Gram>
        /// How long its lists are in all large spans.
        var bytes: Int64
    }

    /// Spans of one size, from one number to another.
    struct Group {
        let isLarge: Bool
        let numbers: ClosedRange<Int64>
        /// The first and the last moment of their messages, by the clock in question.
        let first: Int64
        let last: Int64

        var size: Int64 { SearchSpan.size(isLarge) }
    }

    /// A page of the database has room for so many bytes of lists.
    private static let pageBytes: Int64 = 2_000
    /// Lists of so few pages are read at once rather than span by span.
    private static let fewPages: Int64 = 12

    /// Whether one of the pieces has so short lists that few messages have it.
    var isRare: Bool { pieces.first.map { $0.bytes <= Self.fewPages * Self.pageBytes } ?? false }

    init(_ wanted: [Range<Grams.Gram>], _ db: StoreConnection) throws {
        self.db = db
        isShort = wanted.contains { $0.count > 1 }
        var totals: [Grams.Gram: Int64] = [:]
        for chunk in wanted.filter({ $0.count == 1 }).map(\.lowerBound).chunks(of: 16) {
            // The same statement for any number of pieces.
            let grams: [Argument] = (0..<16).map { $0 < chunk.count ? chunk[chunk.startIndex + $0] : nil }
            for row in try db.query("SELECT gram, bytes FROM search_totals WHERE gram IN (\(placeholders(16)))", grams) {
                totals[try row.int64(0)] = try row.int64(1)
            }
        }
        let all = try wanted.map { grams in
            guard grams.count > 1 else { return Piece(grams: grams, bytes: totals[grams.lowerBound] ?? 0) }
            let row = try db.first("SELECT coalesce(sum(bytes), 0) FROM search_totals WHERE gram >= ? AND gram < ?", [grams.lowerBound, grams.upperBound])
            return Piece(grams: grams, bytes: try row?.int64(0) ?? 0)
        }.sorted { $0.bytes < $1.bytes }
        // Of two that lie over each other in the text, who has the one has often the other: that says little more, and is left for the end.
        var apart: [Piece] = [], beside: [Piece] = []
        for piece in all {
            if apart.contains(where: { Grams.lieOver($0.grams.lowerBound, piece.grams.lowerBound) }) { beside.append(piece) } else { apart.append(piece) }
        }
        pieces = apart + beside
    }

    /// The ids of messages that may have what is looked for, in order. What has not all the pieces is among them where looking at it costs less than
    /// reading another list.
    func candidates(in group: Group) throws -> [Int64] {
        var ids: [Int64]?
        for piece in pieces {
            guard let before = ids else {
                ids = try list(of: piece, in: group, numbers: group.numbers)
                continue
            }
            guard let first = before.first, let last = before.last else { return [] }
            let numbers = first / group.size...last / group.size
            let spans = Self.count(before, perSpan: group.size)
            // To look at a message is to read two pages, and so it is to find the list of one span.
            let pages = group.isLarge ? min(piece.bytes / Self.pageBytes + 2, 2 * spans) : 2
            if 2 * Int64(before.count) <= pages { return before }
            ids = Self.common(before, try list(of: piece, in: group, numbers: numbers))
        }
        return ids ?? []
    }

    private func list(of piece: Piece, in group: Group, numbers: ClosedRange<Int64>) throws -> [Int64] {
        let table = group.isLarge ? "search_grams" : "search_recent"
        let isOne = piece.grams.count == 1
        let rows = isOne
            ? try db.query(
                "SELECT span, items FROM \(table) WHERE gram = ? AND span >= ? AND span <= ? ORDER BY span",
                [piece.grams.lowerBound, numbers.lowerBound, numbers.upperBound])
            : try db.query(
                "SELECT span, items FROM \(table) WHERE gram >= ? AND gram < ? AND span >= ? AND span <= ?",
                [piece.grams.lowerBound, piece.grams.upperBound, numbers.lowerBound, numbers.upperBound])
        var ids: [Int64] = []
        for row in rows { GramList.decode(try row.blob(1), size: group.size, from: try row.int64(0) &* group.size, into: &ids) }
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

    /// How many spans the ids are in.
    private static func count(_ ids: [Int64], perSpan size: Int64) -> Int64 {
        var count: Int64 = 0, last: Int64 = -1
        for id in ids where id / size != last {
            last = id / size
            count += 1
        }
        return count
    }

    private static func common(_ left: [Int64], _ right: [Int64]) -> [Int64] {
        var common: [Int64] = [], i = 0, j = 0
        while i < left.count, j < right.count {
            if left[i] == right[j] {
                common.append(left[i])
                i += 1
                j += 1
            } else if left[i] < right[j] { i += 1 } else { j += 1 }
        }
        return common
    }
}
