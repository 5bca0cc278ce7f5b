internal import ChatAPI

extension EventFilter {
    /// Reads the filter of a request: the parameters `types`, `users` and `chats`, each with values separated by
    /// commas.
    init(_ context: RouteContext) throws(ProblemDetails) {
        userId = context.principal?.userId
        boundChats = context.principal?.chats.map { chats in
            Set(chats.compactMap { chat in EventChat.Kind(rawValue: chat.type).map { EventChat($0, chat.id) } })
        }
        types = try context.parseValues("types") { text throws(ProblemDetails) in
            try EventFilter.checkType(text, .invalidParameter)
        }
        let own = userId
        userIds = try context.parseValues("users") { text throws(ProblemDetails) in
            guard let user = Int64(wholeNumber: text) else {
                throw ProblemDetails(parameter: "users", "must be numbers of profiles with commas between them.")
            }
            return try EventFilter.checkUser(user, of: own, .invalidParameter)
        }
        chats = try context.parseValues("chats") { text throws(ProblemDetails) in
            try EventFilter.parseChat(text, .invalidParameter)
        }
    }
}

extension RouteContext {
    /// Reads the values of a parameter, separated by commas.
    fileprivate func parseValues<T: Hashable>(
        _ name: String,
        _ read: (String) throws(ProblemDetails) -> T
    ) throws(ProblemDetails) -> Set<T>? {
        guard let text = readParameter(name) else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= EventFilter.maxValuesPerParameter else {
            throw ProblemDetails(parameter: name, "can have at most \(EventFilter.maxValuesPerParameter) values.")
        }
        var values: Set<T> = []
        for part in parts { values.insert(try read(part.trimmingSpaces)) }
        return values
    }
}
