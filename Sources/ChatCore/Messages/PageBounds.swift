internal import ChatAPI

extension ChatPagination {
    /// The maximum number of items of one page, or on one side of an item. A page and its answer are in memory as a
    /// whole.
    static let countLimit = 1000

    /// - Throws: `commandError` for a larger count.
    func bounded() throws -> ChatPagination {
        guard count <= ChatPagination.countLimit else {
            throw ChatFailure.command("count may be at most \(ChatPagination.countLimit)")
        }
        return self
    }

    private var count: Int {
        switch self {
        case .last(let count), .after(_, let count), .before(_, let count), .around(_, let count), .initial(let count):
            count
        }
    }
}
