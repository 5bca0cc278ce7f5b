internal import ChatModel
internal import JSON

/// Routes for the state of a profile, such as its chat list. An app would keep this state in memory.
enum ModelResource {
    private static let path = "/v1/users/{userId}/model"

    static let routes: [Route] = [
        .makeModelRoute(.get, path, "getModel", access: .key(.read), policy: .browserView, handler: getModel),
        .makeModelRoute(
            .get,
            path + "/chats",
            "listModelChats",
            access: .key(.read),
            policy: .browserView,
            handler: listChats
        ),
        .makeModelRoute(
            .get,
            path + "/changes",
            "listModelChanges",
            access: .key(.events),
            policy: .browserView,
            follows: true,
            handler: followChanges
        ),
        .makeModelRoute(
            .get,
            path + "/changes/ws",
            "openModelSocket",
            access: .key(.events),
            policy: .browserView,
            follows: true,
            handler: openChangesSocket
        ),
        .makeModelRoute(
            .get,
            path + "/drafts/{chatType}/{chatId}",
            "getDraft",
            access: .key(.read),
            policy: .chatData,
            handler: getDraft
        ),
        .makeModelRoute(
            .put,
            path + "/drafts/{chatType}/{chatId}",
            "setDraft",
            access: .key(.write),
            policy: .chatData,
            problems: [.preconditionFailed],
            handler: setDraft
        ),
        .makeModelRoute(
            .delete,
            path + "/drafts/{chatType}/{chatId}",
            "deleteDraft",
            access: .key(.write),
            policy: .chatData,
            problems: [.preconditionFailed],
            handler: deleteDraft
        ),
    ]

    private static func getModel(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let list = context.request.path + "/chats"
        let page = try PageRequest(list: list, filters: [], limit: context.parsePageLimit(), cursor: nil)
        try context.refuseUnknownNames()
        return try context.withModel { model throws(ProblemDetails) in
            let count = page.limit
            let snapshot = await model.takeSnapshot(dividedAfter: count)
            let showsAll = context.principal?.userId == nil
            let ends = selectChatPage(of: snapshot, page).ends
            // The answer depends on the rights of the reader and on the number of requested chats, so the entity tag
            // depends on both too.
            let tag = "\"\(snapshot.logCursor)\(showsAll ? "" : "o")\(ends.next == nil ? "" : "-\(count)")\""
            guard !context.request.hasMatchingTag(tag) else {
                return HTTPResponse(status: 304, headers: [("ETag", tag)])
            }
            guard
                let document = try? ProfileDocument(model: snapshot.model, showsAllUsers: showsAll).encode(
                    chats: count,
                    context.services.modelHost.encoder
                )
            else {
                throw ProblemDetails(.internalError)
            }
            var response = HTTPResponse.makeDocumentResponse(
                "model",
                document,
                id: snapshot.logCursor,
                cursor: snapshot.journalCursor,
                tag: tag
            )
            response.addPageCursors(ends, context, path: list)
            return response
        }
    }

    /// Answers with a page of the chat list in a state of the profile: the state that the cursor names, or the present
    /// state.
    private static func listChats(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let page = try context.parsePage()
        try context.refuseUnknownNames()
        return try context.withModel { model throws(ProblemDetails) in
            let snapshot =
                if let cursor = page.cursor { try await model.findSnapshot(at: cursor.place.text) } else {
                    await model.takeSnapshot(dividedAfter: page.limit)
                }
            let (chats, ends) = selectChatPage(of: snapshot, page)
            guard let json = try? context.services.modelHost.encoder.encode(chats) else {
                throw ProblemDetails(.internalError)
            }
            var response = HTTPResponse(json: Array("{\"chats\":".utf8) + json + [UInt8(ascii: "}")])
            response.addMember("id", .string(snapshot.logCursor))
            response.addPageCursors(ends, context)
            return response
        }
    }

    /// Returns a page of the chat list of a state. The place of a chat has the id of the state, and the number of chats
    /// before the chat.
    private static func selectChatPage(
        of snapshot: ProfileSnapshot,
        _ page: PageRequest
    ) -> (chats: [Chat], ends: PageCursors) {
        let (chats, ends) = page.selectPage(of: Array(snapshot.model.chats.enumerated())) {
            ListPlace(number: Int64($0.offset), text: snapshot.logCursor)
        }
        return (chats.map(\.element), ends)
    }

    /// Sends the patches of the document by long poll, as lines of JSON, or as Server-Sent Events.
    private static func followChanges(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.followDocument()
    }

    /// Sends the patches of the document as text frames of a WebSocket.
    private static func openChangesSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.followDocument(overSocket: true)
    }

    private static func makeDraftTag(_ draft: ComposeState) -> EntityTag {
        EntityTag([(try? JSONEncoder().encodeValue(draft))?.text ?? ""])
    }

    private static func getDraft(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let chat = try context.parseChat()
        return try context.withModel { model throws(ProblemDetails) in
            guard let draft = await model.findDraft(in: chat.id), let json = try? JSONEncoder().encode(draft) else {
                throw ProblemDetails(.notFound, "The chat has no draft.")
            }
            return HTTPResponse(json: json).addingTag(makeDraftTag(draft))
        }
    }

    private static func setDraft(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (chat, draft) = (try context.parseChat(), try context.parseBody().decodeWholeBody(as: ComposeState.self))
        return try context.withModel { model throws(ProblemDetails) in
            try await model.setDraft(draft, in: chat.id) { present throws(ProblemDetails) in
                if present != nil { try context.request.checkMayReplace() }
                try context.request.checkMatch(
                    present.map(makeDraftTag),
                    shows: context.principal?.scopes.allows(.read) == true
                )
            }
            return HTTPResponse(status: 204).addingTag(makeDraftTag(draft))
        }
    }

    private static func deleteDraft(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let chat = try context.parseChat()
        return try context.withModel { model throws(ProblemDetails) in
            try await model.setDraft(nil, in: chat.id) { present throws(ProblemDetails) in
                try context.request.checkMatch(
                    present.map(makeDraftTag),
                    shows: context.principal?.scopes.allows(.read) == true
                )
            }
            return HTTPResponse(status: 204)
        }
    }
}

extension RouteContext {
    /// Runs `body` with the model of the profile in the path.
    func withModel(
        _ body: @escaping @Sendable (ProfileModel) async throws(ProblemDetails) -> HTTPResponse
    ) throws(ProblemDetails) -> HTTPReply {
        let userId = try parseID("userId")
        return .later {
            do throws(ProblemDetails) {
                return try await body(try await services.modelHost.loadModel(of: userId))
            } catch {
                return error.response(for: request)
            }
        }
    }

    /// The hub for the followers of the document in the path: a session, or the state of a profile.
    var documentHub: EventHub {
        get async throws(ProblemDetails) {
            let model = try await services.modelHost.loadModel(of: parseID("userId"))
            guard let session = parameters["sessionId"] else { return model.feed(for: principal).hub }
            return try await model.requireSession(session).feed.hub
        }
    }

    /// Answers a request to follow a document. The state of the document may have to be read from the core first.
    /// - Parameter overSocket: whether to send text frames of a WebSocket. Otherwise the reader gets a long poll, lines
    ///   or Server-Sent Events, depending on `Accept`.
    func followDocument(overSocket: Bool = false) throws(ProblemDetails) -> HTTPReply {
        _ = try parseID("userId")
        let page = try overSocket ? nil : EventsResource.FollowRequest(self)
        guard readParameter("cursor") != nil || request.header("last-event-id") != nil else {
            throw ProblemDetails(parameter: "cursor", "must be the `id` of the document that the changes are of.")
        }
        try refuseUnknownNames()
        return .deferred { responder in
            Task {
                let reply: HTTPReply
                do throws(ProblemDetails) {
                    let hub = try await documentHub
                    if let page {
                        reply = try EventsResource.followLog(hub, self, page, filter: EventFilter())
                    } else {
                        reply = try EventsResource.openChangesSocket(hub, self)
                    }
                } catch {
                    return responder.respond(
                        makeGapResponse(error, form: page?.form, overSocket: overSocket) ?? error.response(for: request)
                    )
                }
                switch reply {
                case .now(let response): responder.respond(response)
                case .later(let work): responder.respond(await work())
                case .deferred(let register): register(responder)
                }
            }
        }
    }
}

extension RouteContext {
    /// Makes a stream that contains only the entry `gap` (changes are missing), for a browser that follows an ended
    /// session. A script in a browser could not see the status of a refused stream.
    /// - Returns: nil for other problems and other readers.
    private func makeGapResponse(
        _ problem: ProblemDetails,
        form: HTTPEventSink.Form?,
        overSocket: Bool
    ) -> HTTPResponse? {
        guard problem.code == .notFound, parameters["sessionId"] != nil else { return nil }
        if form == .serverSent { return HTTPEventSink.makeGapResponse(oldest: nil) }
        guard overSocket else { return nil }
        do throws(ProblemDetails) { return try SocketSession.makeGapResponse(self, oldest: nil) } catch {
            return error.response(for: request)
        }
    }
}

extension HTTPResponse {
    /// Makes the answer `{"id":…,"cursor":…,name:{…}}` with a document. `id` is the cursor of the document's own
    /// changes, and `cursor` the cursor of the last event that the document includes.
    static func makeDocumentResponse(
        _ name: String,
        _ json: [UInt8],
        id: String,
        cursor: String,
        tag: String,
        status: Int = 200
    ) -> HTTPResponse {
        var body = Array("{\"id\":\"\(id)\",\"cursor\":\"\(cursor)\",\"\(name)\":".utf8)
        body += json
        body.append(UInt8(ascii: "}"))
        return HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json"), ("ETag", tag), ("Cache-Control", "no-cache")],
            content: .bytes(body)
        )
    }
}

extension Route {
    /// Makes a route for the state of a profile.
    static func makeModelRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        access: Access,
        policy: RoutePolicy,
        follows: Bool = false,
        problems: Set<ProblemDetails.Code> = [],
        handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(
            method,
            template,
            operationID,
            category: "Model",
            access: access,
            policy: policy,
            follows: follows,
            problems: problems.union([.notFound, .invalidValue, .chatError]),
            handler: handler
        )
    }
}
