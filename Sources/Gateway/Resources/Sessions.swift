internal import ChatAPI
internal import ChatModel
internal import JSON

/// Routes for sessions. A session is the state of one client that shows a profile: its open chat and its loaded lists.
enum SessionsResource {
    private static let listPath = "/v1/users/{userId}/sessions"
    private static let itemPath = listPath + "/{sessionId}"

    static let routes: [Route] = [
        .model(.post, listPath, "openSession", access: .key(.read), policy: .data, handler: open),
        .model(.get, listPath, "listSessions", access: .key(.read), policy: .view, handler: list),
        .model(.get, itemPath, "getSession", access: .key(.read), policy: .view, handler: get),
        .model(.delete, itemPath, "closeSession", access: .key(.read), policy: .data, handler: close),
        .model(
            .get,
            itemPath + "/changes",
            "listSessionChanges",
            access: .key(.events),
            policy: .view,
            follows: true,
            handler: changes
        ),
        .model(
            .get,
            itemPath + "/changes/ws",
            "openSessionSocket",
            access: .key(.events),
            policy: .view,
            follows: true,
            handler: changesSocket
        ),
        .model(.put, itemPath + "/chat", "openSessionChat", access: .key(.read), policy: .data, handler: openChat),
        .model(.delete, itemPath + "/chat", "closeSessionChat", access: .key(.read), policy: .data, handler: closeChat),
        .model(
            .put,
            itemPath + "/secondary",
            "openSecondaryList",
            access: .key(.read),
            policy: .data,
            handler: openSecondary
        ),
        .model(
            .delete,
            itemPath + "/secondary",
            "closeSecondaryList",
            access: .key(.read),
            policy: .data,
            handler: closeSecondary
        ),
        // The loaded data changes only the view of one client, so a repetition does no harm.
        .model(
            .post,
            itemPath + "/messages",
            "loadSessionMessages",
            access: .key(.read),
            policy: .data,
            handler: loadItems
        )
        .onlyReading(),
        .model(
            .post,
            itemPath + "/members",
            "loadSessionMembers",
            access: .key(.read),
            policy: .data,
            handler: loadMembers
        )
        .onlyReading(),
        .model(.put, itemPath + "/filter", "setSessionFilter", access: .key(.read), policy: .data, handler: setFilter),
        .model(
            .delete,
            itemPath + "/filter",
            "deleteSessionFilter",
            access: .key(.read),
            policy: .data,
            handler: deleteFilter
        ),
    ]

    private static func open(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let userId = try context.id("userId")
        return try context.once(.memory) { _ async throws(ProblemDetails) in
            let model = try await context.services.models.model(of: userId)
            let session = try await model.openSession()
            var response = try answer(try await model.session(session.id), status: 201)
            response.headers.append(("Location", "/v1/users/\(userId)/sessions/\(session.id)"))
            return response
        }
    }

    private static func list(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let page = try context.page()
        return try context.withModel { model throws(ProblemDetails) in
            let now = MonotonicClock.microseconds()
            let (shown, ends) = page.page(of: await model.allSessions()) { ListPlace(number: $0.opened, text: $0.id) }
            let sessions = shown.map { session -> JSONValue in
                var members = JSONObject([
                    ("sessionId", .string(session.id)), ("idleSeconds", .integer((now - session.used) / 1_000_000)),
                ])
                members["chatId"] = session.model.chatId.map { .string($0) }
                return .object(members)
            }
            return HTTPResponse("sessions", sessions, ends, context)
        }
    }

    private static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.withSession { model, id throws(ProblemDetails) in
            let session = try await model.session(id)
            let tag = "\"\(session.place)\""
            guard !context.request.hasCurrent(tag) else { return HTTPResponse(status: 304, headers: [("ETag", tag)]) }
            return try answer(session)
        }
    }

    private static func close(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.withSession { model, id throws(ProblemDetails) in
            try await model.closeSession(id)
            return HTTPResponse(status: 204)
        }
    }

    private static func changes(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.following()
    }

    private static func changesSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.following(overSocket: true)
    }

    private static func openChat(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.body()
        let type: ChatType = try body.value("chatType")
        guard [.direct, .group, .local].contains(type) else {
            throw ProblemDetails(member: "chatType", "must be direct, group or local.")
        }
        let number: Int64 = try body.value("chatId")
        let around: Int64? = try body.optional("around")
        let count = try body.limit()
        let most = SessionModel.maxItems
        let kept: Int = try body.optional("maxMessages") ?? most
        guard (50...most).contains(kept) else {
            throw ProblemDetails(member: "maxMessages", "must be from 50 to \(most).")
        }
        return try context.loadingSession { model, id throws(ProblemDetails) in
            try await model.openChat(
                ChatRef(chatType: type, chatId: number),
                around: around,
                count: count,
                limit: kept,
                in: id
            )
        }
    }

    private static func closeChat(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.changingSession { $0.closeChat() }
    }

    private static func openSecondary(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.body()
        let scope: GroupChatScope? = try body.optional("scope")
        let tag: MsgContentTag? = try body.optional("contentTag")
        let count = try body.limit()
        let request: SecondaryRequest
        switch (scope, tag) {
        case (let scope?, nil): request = .scope(scope)
        case (nil, let tag?): request = .contentTag(tag)
        default: throw ProblemDetails(.invalidValue, "Either scope or contentTag is needed.")
        }
        return try context.loadingSession { model, id throws(ProblemDetails) in
            try await model.openSecondary(request, count: count, in: id)
        }
    }

    private static func closeSecondary(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.changingSession { $0.closeSecondary() }
    }

    private static func loadItems(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.body()
        let (before, after, around) = (try body.item("before"), try body.item("after"), try body.item("around"))
        let page: ItemsModel.Page
        switch (before, after, around) {
        case (nil, nil, nil): page = .last
        case (let item?, nil, nil): page = .before(item)
        case (nil, let item?, nil): page = .after(item)
        case (nil, nil, let item?): page = .around(item)
        default: throw ProblemDetails(.invalidValue, "Only one of before, after and around can be given.")
        }
        let count = try body.limit()
        let list: SessionModel.List
        switch try body.optional("list", as: String.self) {
        case nil, "primary": list = .primary
        case "secondary": list = .secondary
        default: throw ProblemDetails(member: "list", "must be primary or secondary.")
        }
        return try context.loadingSession { model, id throws(ProblemDetails) in
            try await model.loadItems(page, count: count, list: list, in: id)
        }
    }

    private static func loadMembers(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.loadingSession { model, id throws(ProblemDetails) in try await model.loadMembers(in: id) }
    }

    private static func setFilter(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.body()
        let filter: ActiveFilter
        switch try body.value("type", as: String.self) {
        case "unread": filter = .unread
        case "presetTag": filter = .presetTag(try body.value("presetTag"))
        case "userTag": filter = .userTag(try body.value("chatTag"))
        default: throw ProblemDetails(member: "type", "must be unread, presetTag or userTag.")
        }
        return try context.withSession { model, id throws(ProblemDetails) in
            try answer(try await model.setFilter(filter, in: id))
        }
    }

    private static func deleteFilter(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.changingSession { $0.activeFilter = nil }
    }

    /// Makes the answer with the document of a session, and the position in the feed from which a client follows it.
    static func answer(_ session: ClientSession, status: Int = 200) throws(ProblemDetails) -> HTTPResponse {
        guard let document = try? session.document() else { throw ProblemDetails(.internalError) }
        let id = session.place
        var response = HTTPResponse.document(
            "session",
            document,
            id: id,
            cursor: session.cursor,
            tag: "\"\(id)\"",
            status: status
        )
        response.add("sessionId", .string(session.id))
        return response
    }
}

extension RequestBody {
    /// Reads the number of messages in a page.
    fileprivate func limit() throws(ProblemDetails) -> Int {
        let limit: Int = try optional("limit") ?? 50
        guard (2...500).contains(limit) else { throw ProblemDetails(member: "limit", "must be from 2 to 500.") }
        return limit
    }

    /// Reads the id of an item; `nil` when it is absent.
    fileprivate func item(_ name: String) throws(ProblemDetails) -> Int64? {
        let item: Int64? = try optional(name)
        guard item ?? 1 > 0 else { throw ProblemDetails(member: name, "must be the id of a message.") }
        return item
    }
}

extension RouteContext {
    fileprivate func withSession(
        _ body: @escaping @Sendable (ProfileModel, String) async throws(ProblemDetails) -> HTTPResponse
    ) throws(ProblemDetails) -> HTTPReply {
        let id = parameters["sessionId"] ?? ""
        return try withModel { model throws(ProblemDetails) in try await body(model, id) }
    }

    /// Loads items or members into the session, unless all sessions together have too many already.
    fileprivate func loadingSession(
        _ load: @escaping @Sendable (ProfileModel, String) async throws(ProblemDetails) -> ClientSession
    ) throws(ProblemDetails) -> HTTPReply {
        try withSession { model, id throws(ProblemDetails) in
            try await model.checkRoom()
            return try SessionsResource.answer(try await load(model, id))
        }
    }

    fileprivate func changingSession(
        _ change: @escaping @Sendable (inout SessionModel) -> Void
    ) throws(ProblemDetails) -> HTTPReply {
        try withSession { model, id throws(ProblemDetails) in
            try SessionsResource.answer(try await model.change(id, change))
        }
    }
}
