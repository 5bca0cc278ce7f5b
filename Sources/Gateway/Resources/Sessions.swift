internal import Clocks
internal import ChatAPI
internal import ChatModel
internal import JSON

/// Routes for sessions. A session is the state of one client that shows a profile: its open chat and its loaded lists.
enum SessionsResource {
    private static let listPath = "/v1/users/{userId}/sessions"
    private static let itemPath = listPath + "/{sessionId}"

    static let routes: [Route] = [
        .makeModelRoute(.post, listPath, "openSession", access: .key(.read), policy: .storeData, handler: openSession),
        .makeModelRoute(
            .get,
            listPath,
            "listSessions",
            access: .key(.read),
            policy: .browserView,
            handler: listSessions
        ),
        .makeModelRoute(.get, itemPath, "getSession", access: .key(.read), policy: .browserView, handler: getSession),
        .makeModelRoute(
            .delete,
            itemPath,
            "closeSession",
            access: .key(.read),
            policy: .storeData,
            handler: closeSession
        ),
        .makeModelRoute(
            .get,
            itemPath + "/changes",
            "listSessionChanges",
            access: .key(.events),
            policy: .browserView,
            follows: true,
            handler: followChanges
        ),
        .makeModelRoute(
            .get,
            itemPath + "/changes/ws",
            "openSessionSocket",
            access: .key(.events),
            policy: .browserView,
            follows: true,
            handler: openChangesSocket
        ),
        .makeModelRoute(
            .put,
            itemPath + "/chat",
            "openSessionChat",
            access: .key(.read),
            policy: .storeData,
            handler: openChat
        ),
        .makeModelRoute(
            .delete,
            itemPath + "/chat",
            "closeSessionChat",
            access: .key(.read),
            policy: .storeData,
            handler: closeChat
        ),
        .makeModelRoute(
            .put,
            itemPath + "/secondary",
            "openSecondaryList",
            access: .key(.read),
            policy: .storeData,
            handler: openSecondaryList
        ),
        .makeModelRoute(
            .delete,
            itemPath + "/secondary",
            "closeSecondaryList",
            access: .key(.read),
            policy: .storeData,
            handler: closeSecondaryList
        ),
        // The loaded data changes only the view of one client, so a repetition does no harm.
        .makeModelRoute(
            .post,
            itemPath + "/messages",
            "loadSessionMessages",
            access: .key(.read),
            policy: .storeData,
            handler: loadItems
        )
        .markedEffectFree(),
        .makeModelRoute(
            .post,
            itemPath + "/members",
            "loadSessionMembers",
            access: .key(.read),
            policy: .storeData,
            handler: loadMembers
        )
        .markedEffectFree(),
        .makeModelRoute(
            .put,
            itemPath + "/filter",
            "setSessionFilter",
            access: .key(.read),
            policy: .storeData,
            handler: setFilter
        ),
        .makeModelRoute(
            .delete,
            itemPath + "/filter",
            "deleteSessionFilter",
            access: .key(.read),
            policy: .storeData,
            handler: deleteFilter
        ),
    ]

    private static func openSession(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let userId = try context.parseID("userId")
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            let model = try await context.services.modelHost.loadModel(of: userId)
            let session = try await model.openSession()
            var response = try makeAnswer(try await model.requireSession(session.id), status: 201)
            response.headers.append(("Location", "/v1/users/\(userId)/sessions/\(session.id)"))
            return response
        }
    }

    private static func listSessions(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let page = try context.parsePage()
        return try context.withModel { model throws(ProblemDetails) in
            let now = MonotonicClock.microseconds()
            let (shown, ends) = page.selectPage(of: await model.listSessions()) {
                ListPlace(number: $0.openedMicroseconds, text: $0.id)
            }
            let sessions = shown.map { session -> JSONValue in
                var members = JSONObject([
                    ("sessionId", .string(session.id)),
                    ("idleSeconds", .integer((now - session.lastUsedMicroseconds) / 1_000_000)),
                ])
                members["chatId"] = session.model.chatId.map { .string($0) }
                return .object(members)
            }
            return HTTPResponse("sessions", sessions, ends, context)
        }
    }

    private static func getSession(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.withSession { model, id throws(ProblemDetails) in
            let session = try await model.requireSession(id)
            let tag = "\"\(session.documentCursor)\""
            guard !context.request.hasMatchingTag(tag) else {
                return HTTPResponse(status: 304, headers: [("ETag", tag)])
            }
            return try makeAnswer(session)
        }
    }

    private static func closeSession(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.withSession { model, id throws(ProblemDetails) in
            try await model.closeSession(id)
            return HTTPResponse(status: 204)
        }
    }

    private static func followChanges(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.followDocument()
    }

    private static func openChangesSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.followDocument(overSocket: true)
    }

    private static func openChat(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody()
        let type: ChatType = try body.decodeValue("chatType")
        guard [.direct, .group, .local].contains(type) else {
            throw ProblemDetails(member: "chatType", "must be direct, group or local.")
        }
        let number: Int64 = try body.decodeValue("chatId")
        let around: Int64? = try body.decodeIfPresent("around")
        let count = try body.decodeLimit()
        let most = SessionModel.maxItems
        let kept: Int = try body.decodeIfPresent("maxMessages") ?? most
        guard (50...most).contains(kept) else {
            throw ProblemDetails(member: "maxMessages", "must be from 50 to \(most).")
        }
        return try context.loadInSession { model, id throws(ProblemDetails) in
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
        try context.changeSession { $0.closeChat() }
    }

    private static func openSecondaryList(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody()
        let scope: GroupChatScope? = try body.decodeIfPresent("scope")
        let tag: MsgContentTag? = try body.decodeIfPresent("contentTag")
        let count = try body.decodeLimit()
        let request: SecondaryRequest
        switch (scope, tag) {
        case (let scope?, nil): request = .scope(scope)
        case (nil, let tag?): request = .contentTag(tag)
        default: throw ProblemDetails(.invalidValue, "Either scope or contentTag is needed.")
        }
        return try context.loadInSession { model, id throws(ProblemDetails) in
            try await model.openSecondaryList(request, count: count, in: id)
        }
    }

    private static func closeSecondaryList(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.changeSession { $0.closeSecondaryList() }
    }

    private static func loadItems(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody()
        let (before, after, around) = (
            try body.decodeItemId("before"), try body.decodeItemId("after"), try body.decodeItemId("around")
        )
        let page: ItemsModel.Page
        switch (before, after, around) {
        case (nil, nil, nil): page = .last
        case (let item?, nil, nil): page = .before(item)
        case (nil, let item?, nil): page = .after(item)
        case (nil, nil, let item?): page = .around(item)
        default: throw ProblemDetails(.invalidValue, "Only one of before, after and around can be given.")
        }
        let count = try body.decodeLimit()
        let list: SessionModel.ItemList
        switch try body.decodeIfPresent("list", as: String.self) {
        case nil, "primary": list = .primary
        case "secondary": list = .secondary
        default: throw ProblemDetails(member: "list", "must be primary or secondary.")
        }
        return try context.loadInSession { model, id throws(ProblemDetails) in
            try await model.loadItems(page, count: count, list: list, in: id)
        }
    }

    private static func loadMembers(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.loadInSession { model, id throws(ProblemDetails) in try await model.loadMembers(in: id) }
    }

    private static func setFilter(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody()
        let filter: ActiveFilter
        switch try body.decodeValue("type", as: String.self) {
        case "unread": filter = .unread
        case "presetTag": filter = .presetTag(try body.decodeValue("presetTag"))
        case "userTag": filter = .userTag(try body.decodeValue("chatTag"))
        default: throw ProblemDetails(member: "type", "must be unread, presetTag or userTag.")
        }
        return try context.withSession { model, id throws(ProblemDetails) in
            try makeAnswer(try await model.setFilter(filter, in: id))
        }
    }

    private static func deleteFilter(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.changeSession { $0.activeFilter = nil }
    }

    /// Makes the answer with the document of a session, and the cursor from which a client follows the document.
    static func makeAnswer(_ session: ClientSession, status: Int = 200) throws(ProblemDetails) -> HTTPResponse {
        guard let document = try? session.encodeDocument() else { throw ProblemDetails(.internalError) }
        let id = session.documentCursor
        var response = HTTPResponse.makeDocumentResponse(
            "session",
            document,
            id: id,
            cursor: session.cursor,
            tag: "\"\(id)\"",
            status: status
        )
        response.addMember("sessionId", .string(session.id))
        return response
    }
}

extension RequestBody {
    /// Reads the number of messages in a page.
    fileprivate func decodeLimit() throws(ProblemDetails) -> Int {
        let limit: Int = try decodeIfPresent("limit") ?? 50
        guard (2...500).contains(limit) else { throw ProblemDetails(member: "limit", "must be from 2 to 500.") }
        return limit
    }

    /// Reads the id of an item; `nil` when it is absent.
    fileprivate func decodeItemId(_ name: String) throws(ProblemDetails) -> Int64? {
        let item: Int64? = try decodeIfPresent(name)
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

    /// Loads items or members into the session, unless all sessions of the profile together have too many already.
    fileprivate func loadInSession(
        _ load: @escaping @Sendable (ProfileModel, String) async throws(ProblemDetails) -> ClientSession
    ) throws(ProblemDetails) -> HTTPReply {
        try withSession { model, id throws(ProblemDetails) in
            try await model.checkContentsLimit()
            return try SessionsResource.makeAnswer(try await load(model, id))
        }
    }

    fileprivate func changeSession(
        _ change: @escaping @Sendable (inout SessionModel) -> Void
    ) throws(ProblemDetails) -> HTTPReply {
        try withSession { model, id throws(ProblemDetails) in
            try SessionsResource.makeAnswer(try await model.changeSession(id, change))
        }
    }
}
