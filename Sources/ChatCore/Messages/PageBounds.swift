internal import ChatAPI

extension ChatPagination {
    /// The maximum number of items of one page, or on each side of an item. The whole page and its answer must fit in
    /// memory. A page over HTTP has at most 1,000 items, and reads one more to see whether others follow.
    static let maxCount = 1_001

    /// Checks the number of items.
    /// - Throws: `commandError` for more than ``maxCount`` items.
    func requireAllowedCount() throws -> ChatPagination {
        guard count <= ChatPagination.maxCount else {
            throw ChatFailure.commandError("count may be at most \(ChatPagination.maxCount)")
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
