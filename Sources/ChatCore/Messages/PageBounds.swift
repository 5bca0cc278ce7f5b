internal import ChatAPI

extension ChatPagination {
    /// The most items of one page, or on one side of an item. A page is in memory as a whole, and its answer too.
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
        case .last(let count), .after(_, let count), .before(_, let count), .around(_, let count), .initial(let count): count
        }
    }
}
