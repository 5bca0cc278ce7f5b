internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON

/// The HTTP form of the answer to a successful command.
enum CommandAnswerForm: Sendable {
    case ok
    /// The command was started. An event will report its outcome.
    case accepted
    /// The command has made something. The closure returns the path of the new object; nil for an object without a
    /// path.
    case created(@Sendable (ChatResponse, RouteContext) -> String?)
    /// The command has read a list, or a page of a list. The closure may change the response, and returns the cursors
    /// of the previous page and the next page.
    case page(@Sendable (ChatResponse, RouteContext) async throws(ProblemDetails) -> (ChatResponse, PageCursors))
}

extension Route {
    /// Makes a route that runs one command of the core.
    /// - Parameters:
    ///   - alsoRuns: commands that `build` makes in place of `command` for some chats.
    ///   - forUser: whether the command runs as the user in the path. `false` for commands that manage users, for which
    ///     the core checks the active user.
    ///   - policy: if its `profileKeys` are `.answerFiltered`, a command that reads data of all users runs as the user
    ///     to whom the key is bound.
    ///   - takesText: whether a body may also be `text/plain`.
    ///   - finishing: reads additional parameters, and returns a function that runs the command and changes its answer.
    ///   - cached: whether the answer depends only on the chat database. Then the answer is cached until the database
    ///     changes.
    ///   - patched: the resource that the route reads or replaces, if changes of the resource can have `If-Match`. The
    ///     answer then has the `ETag` of the resource.
    static func makeCommandRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        _ command: CommandName,
        alsoRuns: [CommandName] = [],
        category: String,
        policy: RoutePolicy,
        forUser: Bool = true,
        cached: Bool = false,
        takesText: Bool = false,
        problems: Set<ProblemDetails.Code> = [],
        success: CommandAnswerForm = .ok,
        patched: PatchedResource? = nil,
        finishing: (@Sendable (RouteContext) throws(ProblemDetails) -> AnswerFinisher)? = nil,
        _ build: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> ChatCommand
    ) -> Route {
        var route = Route(
            method,
            template,
            operationID,
            command,
            alsoRuns: alsoRuns,
            category: category,
            policy: policy,
            problems: patched == nil || method == .get ? problems : problems.union([.preconditionFailed])
        ) { context throws(ProblemDetails) in
            let finish = try finishing?(context)
            let named = forUser && context.parameters["userId"] != nil ? try context.parseID("userId") : nil
            let user = policy.profileKeys == .answerFiltered ? context.principal?.userId : named
            // A request for long work is checked before an operation begins.
            let checked = context.route.longWork == nil ? nil : try build(context)
            if checked != nil { try context.refuseUnknownNames() }
            let run: @Sendable (RequestClaim?) async -> HTTPResponse = { claim in
                do throws(ProblemDetails) {
                    let command = if let checked { checked } else { try build(context) }
                    try context.refuseUnknownNames()
                    return try await context.runAndAnswer(command, as: user, claim: claim, success: success, patched)
                } catch {
                    return error.response(for: context.request)
                }
            }
            // Answers to keys that are limited to some chats are restricted, so they are not cached.
            if cached, context.principal?.chats == nil {
                return context.replyCached {
                    guard let finish else { return await run(nil) }
                    return await finish { await run(nil) }
                }
            }
            guard method == .post, command.facts.effect != .test,
                let key = context.request.header("idempotency-key")
            else {
                return HTTPReply.later { await run(nil) }.finishAnswer(by: finish)
            }
            return try context.runIdempotently(key, success, run).finishAnswer(by: finish)
        }
        route.acceptsPlainText = takesText
        route.isEffectFree = method == .post && command.facts.effect == .test
        return route
    }

    /// A function that runs a command and changes its answer.
    typealias AnswerFinisher = @Sendable (_ run: @Sendable () async -> HTTPResponse) async -> HTTPResponse
}

extension HTTPReply {
    fileprivate func finishAnswer(by finish: Route.AnswerFinisher?) -> HTTPReply {
        guard let finish, case .later(let work) = self else { return self }
        return .later { await finish(work) }
    }
}

extension RouteContext {
    fileprivate func runAndAnswer(
        _ command: ChatCommand,
        as user: Int64?,
        claim: RequestClaim?,
        success: CommandAnswerForm,
        _ patched: PatchedResource?
    ) async throws(ProblemDetails) -> HTTPResponse {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        // The route has the access rules of its own commands, so it must not run another command.
        guard route.coreCommands.contains(command.name) else { throw ProblemDetails(.internalError) }
        let answered: Result<HTTPResponse, ProblemDetails>? = await services.makeAnswer(command, for: principal.keyID) {
            guard let patched, route.method != .get else {
                return await runForResult(of: command, as: user, with: principal, claim: claim, success, patched)
            }
            return await replaceResource(patched, by: command, as: user, with: principal, success)
        }
        guard let answered else { throw .tooMuchUnreadProblem }
        return try answered.get()
    }

    private func runForResult(
        of command: ChatCommand,
        as user: Int64?,
        with principal: Principal,
        claim: RequestClaim?,
        _ success: CommandAnswerForm,
        _ patched: PatchedResource?
    ) async -> Result<HTTPResponse, ProblemDetails> {
        switch await services.core.runCommand(command, as: user, with: principal.commandRights, claim: claim) {
        case .result(let response):
            recordSentMessages(response)
            do throws(ProblemDetails) {
                var answer = try await makeAnswerCountedAsUnread(response, success, of: principal)
                if let patched {
                    let tag =
                        patched.showsStoredValues(self)
                        ? patched.makeTag(response)
                        : try await readTag(of: patched, patched.readCommand(self), as: user, with: principal)
                    answer = answer.addingTag(tag)
                }
                return .success(answer)
            } catch {
                return .failure(error)
            }
        case .error(let error): return .failure(ProblemDetails(error))
        }
    }

    /// Records the messages that a command has sent, for the span of the request. Private notes are left out, because
    /// they are not sent.
    func recordSentMessages(_ response: ChatResponse) {
        guard services.configuration.tracesMessages, let epoch = services.core.controller?.journal.epoch,
            case .newChatItems(_, let items) = response
        else { return }
        let sent = items.filter { if case .local = $0.chatInfo { false } else { true } }
        guard !sent.isEmpty else { return }
        let messages = RequestTrace.SentMessages(epoch: epoch, itemIds: sent.map(\.chatItem.meta.itemId))
        request.trace.changeFacts { $0.sentMessages = messages }
    }

    /// Makes the answer with a response of the core, and counts the bytes of the answer among the unread answers of the
    /// key.
    private func makeAnswerCountedAsUnread(
        _ response: ChatResponse,
        _ success: CommandAnswerForm,
        of principal: Principal
    ) async throws(ProblemDetails) -> HTTPResponse {
        var answer = try await makeAnswerOrPage(response, success)
        services.unreadAnswers.countContent(&answer, of: principal.keyID)
        return answer
    }

    /// Runs a command that replaces a resource. Requests with `PUT` for one resource run one after the other. With
    /// `If-Match`, the command runs only if this header names the present state of the resource. The transaction of the
    /// command then checks the resource again, because a command over a WebSocket can change the resource after the
    /// first check.
    private func replaceResource(
        _ resource: PatchedResource,
        by command: ChatCommand,
        as user: Int64?,
        with principal: Principal,
        _ success: CommandAnswerForm
    ) async -> Result<HTTPResponse, ProblemDetails> {
        do throws(ProblemDetails) {
            let reading = try resource.readCommand(self)
            let answer = try await services.patchLocks.runPatch(resource.lockName ?? request.path) {
                () async throws(ProblemDetails) in
                let answer =
                    if request.header("if-match") == nil {
                        try await runForResult(of: command, as: user, with: principal, claim: nil, success, nil).get()
                    } else {
                        try await replaceIfTagMatches(
                            resource,
                            reading,
                            by: command,
                            as: user,
                            with: principal,
                            success
                        )
                    }
                // A key without the scope `read` gets no tag.
                guard let tag = try? await readTag(of: resource, reading, as: user, with: principal) else {
                    return answer
                }
                return answer.addingTag(tag)
            }
            return .success(answer)
        } catch {
            return .failure(error)
        }
    }

    private func replaceIfTagMatches(
        _ resource: PatchedResource,
        _ reading: ChatCommand,
        by command: ChatCommand,
        as user: Int64?,
        with principal: Principal,
        _ success: CommandAnswerForm
    ) async throws(ProblemDetails) -> HTTPResponse {
        for _ in 0..<Self.maxPatchAttempts {
            let tag = try await readTag(of: resource, reading, as: user, with: principal)
            try request.checkMatch(tag)
            let replaced = await services.core.replaceResource(
                by: command,
                of: reading,
                if: { resource.makeTag($0) == tag },
                as: user,
                with: principal.commandRights
            )
            switch replaced {
            case .error(let error): throw ProblemDetails(error)
            case .result(let response?): return try await makeAnswerCountedAsUnread(response, success, of: principal)
            case .result(nil): continue
            }
        }
        throw .concurrentChangeProblem
    }

    /// Reads a resource, and returns its entity tag.
    private func readTag(
        of resource: PatchedResource,
        _ reading: ChatCommand,
        as user: Int64?,
        with principal: Principal
    ) async throws(ProblemDetails) -> EntityTag {
        switch await services.core.runCommand(reading, as: user, with: principal.commandRights, claim: nil) {
        case .result(let response): return resource.makeTag(response)
        case .error(let error): throw ProblemDetails(error)
        }
    }

    private func makeAnswerOrPage(
        _ response: ChatResponse,
        _ success: CommandAnswerForm
    ) async throws(ProblemDetails) -> HTTPResponse {
        guard case .page(let part) = success else { return try makeAnswer(response, success) }
        let (page, ends) = try await part(response, self)
        var answer = try makeAnswer(page, .ok)
        answer.addPageCursors(ends, self)
        return answer
    }

    /// Makes the HTTP form of a command's response.
    func makeAnswer(_ response: ChatResponse, _ success: CommandAnswerForm) throws(ProblemDetails) -> HTTPResponse {
        guard let body = try? services.modelHost.encoder.encode(response) else { throw ProblemDetails(.internalError) }
        switch success {
        case .ok, .page:
            return HTTPResponse(json: body)
        case .accepted:
            return HTTPResponse(status: 202, json: body)
        case .created(let place):
            var answer = HTTPResponse(status: 201, json: body)
            if let location = place(response, self) { answer.headers.append(("Location", addPhonePrefix(location))) }
            return answer
        }
    }

    /// Adds the prefix of the phone's paths to the path of a new object, if the request was for a phone.
    private func addPhonePrefix(_ location: String) -> String {
        guard let (id, _) = PhonePath.split(request.path), location.hasPrefix("/v1/") else {
            return location
        }
        return PhonePath.prefix + "\(id)" + location.dropFirst("/v1".count)
    }

    /// Reads a positive number from the path.
    func parseID(_ name: String) throws(ProblemDetails) -> Int64 {
        guard let value = parameters[name].flatMap(Int64.init(wholeNumber:)), value > 0 else {
            throw ProblemDetails(parameter: name, "must be a positive whole number.")
        }
        return value
    }

    /// Reads the chat from `…/chats/{chatType}/{chatId}`. The query may contain a scope in a group: `scope=support` or
    /// `scope=support:{groupMemberId}`.
    func parseChat() throws(ProblemDetails) -> ChatRef {
        let type: ChatType
        switch parameters["chatType"] {
        case "direct": type = .direct
        case "group": type = .group
        case "local": type = .local
        case "contactConnection": type = .contactConnection
        default: throw ProblemDetails(parameter: "chatType", "must be direct, group, local or contactConnection.")
        }
        return ChatRef(chatType: type, chatId: try parseID("chatId"), chatScope: try parseScope(type))
    }

    private func parseScope(_ type: ChatType) throws(ProblemDetails) -> GroupChatScope? {
        guard let text = readParameter("scope") else { return nil }
        guard type == .group else { throw ProblemDetails(.invalidParameter, "Only a group can have a scope.") }
        if text == "support" { return .memberSupport(groupMemberId_: nil) }
        guard text.hasPrefix("support:"), let member = Int64(text.dropFirst(8)) else {
            throw ProblemDetails(parameter: "scope", "must be support or support:{groupMemberId}.")
        }
        return .memberSupport(groupMemberId_: member)
    }

    /// Reads a flag from the query: `true`, `false`, `on` or `off`.
    func parseFlag(_ name: String, default value: Bool) throws(ProblemDetails) -> Bool {
        switch readParameter(name) {
        case nil: return value
        case "true", "on": return true
        case "false", "off": return false
        default: throw ProblemDetails(parameter: name, "must be true or false.")
        }
    }
}

extension Int64 {
    /// Parses digits with an optional minus sign. A plus sign is refused, since it is ambiguous in URLs.
    init?(wholeNumber text: String) {
        guard text.first != "+", let value = Int64(text) else { return nil }
        self = value
    }
}
