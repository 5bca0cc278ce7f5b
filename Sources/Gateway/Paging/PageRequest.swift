internal import JSON
internal import SimpleXCrypto

/// The place of an entry in the order of its list: first by a number, such as a time or an id, then by a text. In a
/// list that begins with the greatest number, places have the negated numbers.
struct ListPlace: Sendable, Hashable, Comparable {
    var number: Int64 = 0
    var text = ""

    /// Places before and after all entries of any list.
    static let (start, end) = (ListPlace(number: .min), ListPlace(number: .max))

    static func < (left: ListPlace, right: ListPlace) -> Bool {
        left.number != right.number
            ? left.number < right.number : left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    static func == (left: ListPlace, right: ListPlace) -> Bool {
        left.number == right.number && left.text.utf8.elementsEqual(right.text.utf8)
    }
}

/// The cursors of the pages before and after a page; nil at an end of the list.
struct PageCursors: Sendable {
    var next: String?
    var prev: String?
}

/// The requested page of a list: the parameters `limit` and `cursor`.
///
/// A cursor has a place in the order of the list, and a direction. So the entry at this place may be deleted, and
/// entries may be added, without effect on the following pages. The checksum of a cursor includes the path of the list
/// and its filters. The checksum needs no secret key: the path and the key of the request decide what a client may
/// read.
struct PageRequest: Sendable {
    enum Direction: String, Sendable {
        case next, prev
    }

    let limit: Int
    /// The place before or after which the requested page is; nil for the first page of the list.
    let cursor: (direction: Direction, place: ListPlace)?
    /// The path of the list and its filters, as one text for the checksum.
    private let listIdentity: String

    private static let checksumBytes = 12

    /// - Parameters:
    ///   - filters: the parameters of the query that select entries.
    ///   - text: the cursor as the client sent it.
    /// - Throws: `invalidCursor`.
    init(
        list path: String,
        filters: [(name: String, value: String)],
        limit: Int,
        cursor text: String?
    ) throws(ProblemDetails) {
        self.limit = limit
        listIdentity = filters.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .reduce(into: path) { $0 += "\u{1}\($1.name)\u{2}\($1.value)" }
        guard let text else {
            cursor = nil
            return
        }
        // Several texts can decode to the same bytes. Only the text that the gateway has sent to a client is accepted.
        guard let bytes = try? Base64URL.decode(text), Base64URL.encode(bytes, padding: false) == text,
            bytes.count > Self.checksumBytes
        else { throw Self.invalidCursorProblem }
        let content = Array(bytes.dropFirst(Self.checksumBytes))
        guard Self.computeChecksum(listIdentity, content).elementsEqual(bytes.prefix(Self.checksumBytes)),
            let parts = String(validating: content, as: UTF8.self)?.split(
                separator: " ",
                maxSplits: 2,
                omittingEmptySubsequences: false
            ),
            parts.count == 3, let direction = Direction(rawValue: String(parts[0])), let number = Int64(parts[1])
        else { throw Self.invalidCursorProblem }
        cursor = (direction, ListPlace(number: number, text: String(parts[2])))
    }

    private static let invalidCursorProblem = ProblemDetails(
        .invalidCursor,
        "cursor must be `next` or `prev` of a page of this list, with the same filters."
    )

    private static func computeChecksum(_ list: String, _ content: [UInt8]) -> ArraySlice<UInt8> {
        Digest.sha256(Array(list.utf8) + [0] + content).prefix(checksumBytes)
    }

    /// Makes the cursor of the page before or after a place.
    func makeCursor(_ direction: Direction, _ place: ListPlace) -> String {
        let content = Array("\(direction.rawValue) \(place.number) \(place.text)".utf8)
        return Base64URL.encode(Self.computeChecksum(listIdentity, content) + content, padding: false)
    }

    /// Makes the cursors of a page with the given first and last place, both nil for an empty page.
    func makeCursors(_ first: ListPlace?, _ last: ListPlace?, hasPrev: Bool, hasNext: Bool) -> PageCursors {
        PageCursors(
            next: hasNext ? makeCursor(.next, last ?? .start) : nil,
            prev: hasPrev ? makeCursor(.prev, first ?? .end) : nil
        )
    }

    /// Returns the requested page of a list that was read as a whole. Sorts the entries by their places.
    func selectPage<Entry>(of all: [Entry], by place: (Entry) -> ListPlace) -> (entries: [Entry], ends: PageCursors) {
        let ordered = all.map { (place: place($0), entry: $0) }.sorted { $0.place < $1.place }
        let range: Range<Int>
        switch cursor {
        case nil: range = 0..<min(limit, ordered.count)
        case (.next, let place)?:
            let start = ordered.firstIndex { $0.place > place } ?? ordered.count
            range = start..<min(start + limit, ordered.count)
        case (.prev, let place)?:
            let end = ordered.firstIndex { $0.place >= place } ?? ordered.count
            range = max(end - limit, 0)..<end
        }
        let page = ordered[range]
        let ends = makeCursors(
            page.first?.place,
            page.last?.place,
            hasPrev: range.lowerBound > 0,
            hasNext: range.upperBound < ordered.count
        )
        return (page.map(\.entry), ends)
    }
}
