internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Clocks
internal import JSON

/// Routes by which other programs send messages to a chat, each in its own form: alerts of Alertmanager and Grafana,
/// and messages of programs for ntfy and Gotify.
enum NoticesResource {
    static let routes = formRoutes + [ntfyTextRoute, gotifyMessageRoute]

    private static let formRoutes = NoticeForm.allCases.map { form in
        makeRoute(form, form.path, form.operationID) { context throws(ProblemDetails) in
            try form.parseNotice(ForeignObject(context.parseBody().readAllMembers()))
        }
    }

    /// The route for programs that add the topic of ntfy to a URL, and send only the text as the body.
    private static let ntfyTextRoute = {
        var found = makeRoute(.ntfy, NoticeForm.ntfy.path + "/{topic}", "sendNtfyText") {
            context throws(ProblemDetails) in
            let text = try NtfyText(context.request)
            context.knownNames.setBodyMembers([])
            return try NoticeForm.ntfy.parseNotice(ForeignObject(text.members))
        }
        found.acceptsPlainText = true
        return found
    }()

    /// The route for programs that add `/message` to the URL of a Gotify server.
    private static let gotifyMessageRoute = makeRoute(.gotify, NoticeForm.gotifyMessagePath, "sendGotifyMessage") {
        context throws(ProblemDetails) in
        try NoticeForm.gotify.parseNotice(ForeignObject(context.parseBody().readAllMembers()))
    }

    private static func makeRoute(
        _ form: NoticeForm,
        _ path: String,
        _ operationID: String,
        _ read: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> Notice
    ) -> Route {
        Route(
            .post,
            path,
            operationID,
            category: "Notices",
            access: .key(.write),
            policy: .notices.replacing(\.keyFields, form.keyFields),
            problems: [.notFound, .relayUnreachable, .relayTimeout, .quotaExceeded, .chatError]
        ) { context throws(ProblemDetails) in
            try sendNotice(read, context)
        }
    }

    private static func sendNotice(
        _ read: (RouteContext) throws(ProblemDetails) -> Notice,
        _ context: RouteContext
    ) throws(ProblemDetails) -> HTTPReply {
        guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
        for name in ["userId", "chat"] { _ = context.readParameter(name) }
        let notice = try read(context)
        try context.refuseUnknownNames()
        let (userId, chat) = (try parseUserId(context, principal), try parseChat(context, principal))
        let message = ComposedMessage(msgContent: .text(text: notice.text), mentions: [:])
        let command: MessageCommand =
            chat.chatType == .local
            ? .createChatItems(noteFolderId: chat.chatId, composedMessages: [message])
            : .sendMessages(
                chat: chat,
                sendAsGroup: false,
                live: false,
                ttl: nil,
                sign: false,
                composedMessages: [message]
            )
        let run: @Sendable (RequestClaim?) async -> HTTPResponse = { claim in
            do throws(ProblemDetails) {
                let core = context.services.core
                switch await core.runCommand(
                    .messages(command),
                    as: userId,
                    with: principal.commandRights,
                    claim: claim
                ) {
                case .result(let response):
                    context.recordSentMessages(response)
                    return try makeAnswer(response, chat)
                case .error(let error): throw ProblemDetails(error)
                }
            } catch {
                return error.response(for: context.request)
            }
        }
        let answering: @Sendable (ChatResponse) throws -> HTTPResponse = { try makeAnswer($0, chat) }
        if let key = context.request.header("idempotency-key") {
            return context.runAtMostOnce(
                [try context.makeIdentity(of: key, content: notice.text)],
                ProblemDetails(.requestInProgress),
                answering,
                run
            )
        }
        guard let identity = notice.identity else { return .later { await run(nil) } }
        let place = "\(userId.map { "\($0)" } ?? "")/\(chat.chatType.rawValue)/\(chat.chatId)\n\(identity)"
        let identities = NoticeWindow.makeIdentities(place, of: principal.keyID, at: WallClock.seconds())
        // Alertmanager and Grafana repeat a notice after this problem, and then get the answer.
        let busy = ProblemDetails(.unavailable, "The same notice is being sent.")
        return context.runAtMostOnce(identities, busy, answering, run)
    }

    private static func makeAnswer(_ response: ChatResponse, _ chat: ChatRef) throws(ProblemDetails) -> HTTPResponse {
        guard case .newChatItems(let user, let items) = response, let item = items.first else {
            throw ProblemDetails(.internalError)
        }
        let sent: JSONValue = [
            "userId": .integer(user.userId), "chat": chat.json, "itemId": .integer(item.chatItem.meta.itemId),
        ]
        return HTTPResponse(json: sent.encodeText())
    }

    /// Reads the profile from the query. The default is the profile to which the key is bound.
    private static func parseUserId(_ context: RouteContext, _ principal: Principal) throws(ProblemDetails) -> Int64? {
        guard let text = context.readParameter("userId") else { return principal.userId }
        guard let userId = Int64(wholeNumber: text), userId > 0 else {
            throw ProblemDetails(parameter: "userId", "must be a positive whole number.")
        }
        guard principal.userId.map({ $0 == userId }) ?? true else {
            throw ProblemDetails(.forbidden, "The key is bound to another profile.")
        }
        return userId
    }

    /// Reads the chat from the query. For a key that is bound to one chat, this chat is the default.
    private static func parseChat(_ context: RouteContext, _ principal: Principal) throws(ProblemDetails) -> ChatRef {
        let found: KeyChat
        if let text = context.readParameter("chat") {
            guard let chat = KeyChat(text) else {
                throw ProblemDetails(parameter: "chat", "must be a chat such as direct/4, group/2 or local/1.")
            }
            found = chat
        } else {
            guard let chats = principal.chats, chats.count == 1, let chat = chats.first else {
                throw ProblemDetails(
                    parameter: "chat",
                    "is missing. Only a key of one chat can leave it out.",
                    .missing
                )
            }
            found = chat
        }
        guard principal.chats?.contains(found) ?? true else {
            throw ProblemDetails(.forbidden, "The key is bound to other chats.")
        }
        let type: ChatType = found.type == "group" ? .group : found.type == "local" ? .local : .direct
        return ChatRef(chatType: type, chatId: found.id)
    }
}
