internal import ChatAPI
internal import JSON

extension RouteContext {
    /// Reads the query of a chat list: `search=`, or `favorite=true` and `unread=true`.
    func parseChatListQuery() throws(ProblemDetails) -> ChatListQuery? {
        let favorite = try parseFlag("favorite", default: false)
        let unread = try parseFlag("unread", default: false)
        if let search = readParameter("search") {
            guard !favorite, !unread else {
                throw ProblemDetails(.invalidParameter, "search cannot be given together with favorite or unread.")
            }
            return .search(search: search)
        }
        return favorite || unread ? .filters(favorite: favorite, unread: unread) : nil
    }

    /// Reads ids from the query, as `1,2,3`. At least one id is required.
    func parseIDs(_ name: String) throws(ProblemDetails) -> [Int64] {
        guard let text = readParameter(name) else { throw ProblemDetails(parameter: name, "is missing.", .missing) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let ids = parts.compactMap { Int64(wholeNumber: String($0)) }
        guard !ids.isEmpty, ids.count == parts.count else {
            throw ProblemDetails(parameter: name, "must be numbers with commas between them.")
        }
        return ids
    }

    /// Reads the mode from the query: `broadcast` (for everybody), `internal` (only for the user, default),
    /// `internalMark`, or `history` (of a channel).
    func parseDeleteMode() throws(ProblemDetails) -> CIDeleteMode {
        let mode = CIDeleteMode(rawValue: readParameter("mode") ?? "internal")
        guard CIDeleteMode.knownValues.contains(mode) else {
            throw ProblemDetails(parameter: "mode", "must be broadcast, internal, internalMark or history.")
        }
        return mode
    }
}

extension RequestBody {
    /// Reads the messages in `composedMessages`. Refuses an empty list, and a preview that is not a picture.
    func decodeMessages() throws(ProblemDetails) -> [ComposedMessage] {
        let messages: [ComposedMessage] = try decodeValue("composedMessages")
        guard !messages.isEmpty else { throw ProblemDetails(member: "composedMessages", "is empty.") }
        for (index, message) in messages.enumerated() {
            try message.msgContent.checkPicture(at: JSONPointer(["composedMessages", "\(index)", "msgContent"]))
        }
        return messages
    }

    /// Reads ids from the body. At least one id is required.
    func decodeIDs(_ name: String) throws(ProblemDetails) -> [Int64] {
        let ids: [Int64] = try decodeValue(name)
        guard !ids.isEmpty else { throw ProblemDetails(member: name, "is empty.") }
        return ids
    }
}
