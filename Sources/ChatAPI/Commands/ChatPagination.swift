/// Selection of items of a chat: a number of items before, after or around an item, or at one end of the chat.
package enum ChatPagination: Hashable, Sendable {
    case last(count: Int)
    /// The items after an item. If the item no longer exists, the items after the time `at` are selected. The text form
    /// of a command contains no time, so a deleted item is an error in a text command.
    case after(chatItemId: Int64, at: Timestamp? = nil, count: Int)
    case before(chatItemId: Int64, at: Timestamp? = nil, count: Int)
    case around(chatItemId: Int64, count: Int)
    /// The items around the first unread item, or the last items when all are read.
    case initial(count: Int)
}

extension ChatPagination: CommandArgument {
    var commandText: String {
        switch self {
        case .last(let count): "count=\(count)"
        case .after(let item, _, let count): "after=\(item) count=\(count)"
        case .before(let item, _, let count): "before=\(item) count=\(count)"
        case .around(let item, let count): "around=\(item) count=\(count)"
        case .initial(let count): "initial=\(count)"
        }
    }
}

/// Selection of chats in the list by the time of their last activity.
package enum PaginationByTime: Hashable, Sendable {
    case last(count: Int)
    case after(time: UTCTime, count: Int)
    case before(time: UTCTime, count: Int)
}

extension PaginationByTime: CommandArgument {
    var commandText: String {
        switch self {
        case .last(let count): "count=\(count)"
        case .after(let time, let count): "after=\(time) count=\(count)"
        case .before(let time, let count): "before=\(time) count=\(count)"
        }
    }
}

extension CommandScanner {
    mutating func scanPagination() throws(CommandParseError) -> ChatPagination {
        if let count = try scanOption("initial") { return .initial(count: try Self.parseNumber(count)) }
        if let item = try scanOption("after") {
            return .after(chatItemId: try Self.parseNumber(item), count: try scanItemCountOption())
        }
        if let item = try scanOption("before") {
            return .before(chatItemId: try Self.parseNumber(item), count: try scanItemCountOption())
        }
        if let item = try scanOption("around") {
            return .around(chatItemId: try Self.parseNumber(item), count: try scanItemCountOption())
        }
        return .last(count: try scanItemCountOption())
    }

    mutating func scanPaginationByTimeIfAny() throws(CommandParseError) -> PaginationByTime? {
        if let time = try scanOption("after") { return .after(time: time, count: try scanItemCountOption()) }
        if let time = try scanOption("before") { return .before(time: time, count: try scanItemCountOption()) }
        guard let count = try scanOption("count") else { return nil }
        return .last(count: try Self.parseNumber(count))
    }

    private mutating func scanItemCountOption() throws(CommandParseError) -> Int {
        guard let count = try scanOption("count") else { throw .malformed }
        return try Self.parseNumber(count)
    }
}
