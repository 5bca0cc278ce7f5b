internal import ChatAPI

extension ChatPagination {
    /// The maximum number of items of one page, or on each side of an item. The whole page and its answer must fit in
    /// memory. A page over HTTP has at most 1,000 items, and reads one more to see whether others follow.
    static let countLimit = 1_001

    /// Checks the number of items.
    /// - Throws: `commandError` for more than ``countLimit`` items.
    func requireBounded() throws -> ChatPagination {
        guard count <= ChatPagination.countLimit else {
            throw ChatFailure.commandError("count may be at most \(ChatPagination.countLimit)")
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
