internal import ChatAPI

extension ChatPagination {
    /// The maximum number of items of one page. For a page around an item, it is the maximum on each side of this item.
    /// The whole page and its answer must fit in memory. A page over HTTP has at most 1,000 items, and reads one more
    /// item to see whether more items follow.
    static let maxItemCount = 1_001

    /// Returns this page request unchanged after a check of its number of items.
    /// - Throws: `commandError` for more than ``maxItemCount`` items.
    func requireAllowedCount() throws -> ChatPagination {
        guard count <= ChatPagination.maxItemCount else {
            throw ChatFailure.commandError("count may be at most \(ChatPagination.maxItemCount)")
        }
        return self
    }

    private var count: Int {
        switch self {
        case .last(let count), .after(_, _, let count), .before(_, _, let count), .around(_, let count),
            .initial(let count):
            count
        }
    }
}
