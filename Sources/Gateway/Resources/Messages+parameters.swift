internal import ChatAPI

extension RouteContext {
    /// `count=50`, with `after=`, `before=` or `around=` an item, or `initial=50` around the first unread one.
    func pagination() throws(ProblemDetails) -> ChatPagination {
        let ids: ClosedRange<Int64> = 0...Int64.max
        // All are read, so that none is passed over that is not a number.
        let (initial, count) = (try number("initial", in: 1...1000), Int(try number("count", in: 0...1000) ?? 50))
        let (after, before, around) = (try number("after", in: ids), try number("before", in: ids), try number("around", in: ids))
        if let initial { return .initial(count: Int(initial)) }
        if let after { return .after(chatItemId: after, count: count) }
        if let before { return .before(chatItemId: before, count: count) }
        if let around { return .around(chatItemId: around, count: count) }
        return .last(count: count)
    }

    /// `count=50`, with `after=` or `before=` a time (ISO 8601).
    func timePagination() throws(ProblemDetails) -> PaginationByTime? {
        let count = try number("count", in: 1...5000).map { Int($0) }
        if let time = request.parameter("after") { return .after(time: time, count: count ?? 100) }
        if let time = request.parameter("before") { return .before(time: time, count: count ?? 100) }
        return count.map { .last(count: $0) }
    }

    /// `search=`, or `favorite=true` and `unread=true`.
    func chatListQuery() throws(ProblemDetails) -> ChatListQuery? {
        if let search = request.parameter("search") { return .search(search: search) }
        let favorite = try flag("favorite", default: false)
        let unread = try flag("unread", default: false)
        return favorite || unread ? .filters(favorite: favorite, unread: unread) : nil
    }

    /// `itemIds` of the body, or of the query as `1,2,3`.
    func itemIds() throws(ProblemDetails) -> [Int64] {
        let ids: [Int64]
        if let text = request.parameter("itemIds") {
            ids = text.split(separator: ",").compactMap { Int64($0) }
            guard ids.count == text.split(separator: ",", omittingEmptySubsequences: false).count else {
                throw ProblemDetails(.invalidParameter, "itemIds must be numbers with commas between.")
            }
        } else {
            ids = try body().value("itemIds")
        }
        guard !ids.isEmpty else { throw ProblemDetails(.invalidValue, "itemIds is empty.") }
        return ids
    }

    /// `broadcast` (for everybody), `internal` (for oneself, default) or `internalMark`; of the body or the query.
    func deleteMode() throws(ProblemDetails) -> CIDeleteMode {
        if let text = request.parameter("mode") { return CIDeleteMode(rawValue: text) }
        return try body().optional("mode") ?? CIDeleteMode(rawValue: "internal")
    }
}

extension RequestBody {
    /// `composedMessages`, at least one.
    func messages() throws(ProblemDetails) -> [ComposedMessage] {
        let messages: [ComposedMessage] = try value("composedMessages")
        guard !messages.isEmpty else { throw ProblemDetails(.invalidValue, "composedMessages is empty.") }
        return messages
    }
}
