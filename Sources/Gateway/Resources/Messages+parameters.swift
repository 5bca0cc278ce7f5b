internal import ChatAPI
internal import JSON

extension RouteContext {
    /// Reads the query of a chat list: `search=`, or `favorite=true` and `unread=true`.
    func chatListQuery() throws(ProblemDetails) -> ChatListQuery? {
        let favorite = try flag("favorite", default: false)
        let unread = try flag("unread", default: false)
        if let search = parameter("search") {
            guard !favorite, !unread else {
                throw ProblemDetails(.invalidParameter, "search cannot be given together with favorite or unread.")
            }
            return .search(search: search)
        }
        return favorite || unread ? .filters(favorite: favorite, unread: unread) : nil
    }

    /// Checks that the query has at most one of the given parameters.
    /// - Throws: `invalidParameter` for a query with several of them.
    func only(one names: [String]) throws(ProblemDetails) {
        guard names.count(where: { parameter($0) != nil }) > 1 else { return }
        let last = names.last.map { " and \($0)" } ?? ""
        throw ProblemDetails(
            .invalidParameter,
            "Only one of \(names.dropLast().joined(separator: ", "))\(last) can be given."
        )
    }

    /// Reads ids from the body, or from the query as `1,2,3`. At least one id is required.
    func ids(_ name: String) throws(ProblemDetails) -> [Int64] {
        guard let text = parameter(name) else { return try body().ids(name) }
        guard try body().json(name) == nil else {
            throw ProblemDetails(parameter: name, "can be given in the query or in the body, not in both.")
        }
        let ids = text.split(separator: ",").compactMap { Int64($0) }
        guard !ids.isEmpty, ids.count == text.split(separator: ",", omittingEmptySubsequences: false).count else {
            throw ProblemDetails(parameter: name, "must be numbers with commas between them.")
        }
        return ids
    }

    /// Reads the mode from the body or the query: `broadcast` (for everybody), `internal` (only for the user, default),
    /// `internalMark`, or `history` (of a channel).
    func deleteMode() throws(ProblemDetails) -> CIDeleteMode {
        if let text = parameter("mode") {
            guard try body().json("mode") == nil else {
                throw ProblemDetails(parameter: "mode", "can be given in the query or in the body, not in both.")
            }
            let mode = CIDeleteMode(rawValue: text)
            guard CIDeleteMode.known.contains(mode) else {
                throw ProblemDetails(parameter: "mode", "must be broadcast, internal, internalMark or history.")
            }
            return mode
        }
        return try body().optional("mode") ?? CIDeleteMode(rawValue: "internal")
    }
}

extension RequestBody {
    /// Reads `composedMessages`, with at least one message. Previews must be pictures.
    func messages() throws(ProblemDetails) -> [ComposedMessage] {
        let messages: [ComposedMessage] = try value("composedMessages")
        guard !messages.isEmpty else { throw ProblemDetails(member: "composedMessages", "is empty.") }
        for (index, message) in messages.enumerated() {
            try message.msgContent.checkPicture(at: JSONPointer(["composedMessages", "\(index)", "msgContent"]))
        }
        return messages
    }

    /// Reads ids from the body. At least one id is required.
    func ids(_ name: String) throws(ProblemDetails) -> [Int64] {
        let ids: [Int64] = try value(name)
        guard !ids.isEmpty else { throw ProblemDetails(member: name, "is empty.") }
        return ids
    }
}
