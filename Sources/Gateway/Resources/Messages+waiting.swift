internal import ChatAPI
internal import JSON

/// The state that the messages of a request have to reach before the request is answered.
private enum MessageGoal: String {
    /// The relays have accepted the messages.
    case sent
    /// The apps of the recipients have received the messages.
    case delivered

    /// Whether a message in the state `status` has reached this goal, or can no longer reach it.
    func isReached(by status: JSONValue) -> Bool {
        let isComplete = status["sndProgress"].map { $0 == "complete" } ?? true
        switch status["type"]?.stringValue {
        case "sndNew", "sndWarning", nil: return false
        case "sndSent": return self == .sent && isComplete
        case "sndRcvd": return isComplete
        // In all other states the wait is over: sending has failed, or the item is not sent to anybody.
        default: return true
        }
    }
}

extension MessagesResource {
    /// The media type of the short answer, which has only ids, times and states. The type is separate, because the
    /// contract has one schema for each media type.
    private static let newItemsMediaType = "application/vnd.simplex-gateway.new-items+json"

    /// Makes the function that finishes the answer to a request that sends messages. With `wait=sent` or
    /// `wait=delivered`, the function waits for this state, at most for `timeout` seconds. After this time, the answer
    /// has the states that were reached so far. With `fields=ids`, the answer has only ids, times and states.
    static func makeFinisher(_ context: RouteContext) throws(ProblemDetails) -> Route.AnswerFinisher {
        let wanted: MessageGoal?
        switch context.readParameter("wait") {
        case nil, "none": wanted = nil
        case "sent": wanted = .sent
        case "delivered": wanted = .delivered
        default: throw ProblemDetails(parameter: "wait", "must be none, sent or delivered.")
        }
        // Notes are not sent, so no event would end the wait.
        let goal = context.parameters["chatType"] == "local" ? nil : wanted
        let seconds = try context.parseNumber("timeout", in: 0...60)
        let isShort: Bool
        switch context.readParameter("fields") {
        case nil, "all": isShort = false
        case "ids": isShort = true
        default: throw ProblemDetails(parameter: "fields", "must be all or ids.")
        }
        let user = try context.parseID("userId")
        return { run in
            guard goal != nil || isShort else { return await run() }
            let watches = context.services.eventHub.statusWatches
            // The watch begins before the messages are written, so that it misses no state.
            let watch = goal == nil ? nil : watches.beginWatch(context.principal?.credential)
            guard goal == nil || watch != nil else {
                var problem = ProblemDetails(.tooManyRequests, "Too many requests wait for messages to be sent.")
                problem.headers = [("Retry-After", "1")]
                return problem.response(for: context.request)
            }
            defer { if let watch { watches.endWatch(watch) } }
            // The secret may have become invalid while the watch began, so it is checked again.
            if let watch, !context.hasValidSecret { watches.endWatch(watch) }
            var response = await run()
            guard response.status == 201, case .bytes(let bytes) = response.content,
                var body = try? JSONValue(parsing: bytes)
            else { return response }
            if let watch, let goal {
                body = await withReachedStates(
                    goal,
                    body,
                    of: user,
                    watch,
                    within: .seconds(seconds ?? 10),
                    context,
                    isOld: response.isReplayed
                )
            }
            response.content = .bytes((isShort ? makeShortForm(body) : body).encodeText())
            if isShort {
                response.headers =
                    response.headers.filter { $0.name != "Content-Type" } + [("Content-Type", newItemsMediaType)]
            }
            return response
        }
    }

    /// Returns the answer with the states that its items reach within the time limit.
    private static func withReachedStates(
        _ goal: MessageGoal,
        _ body: JSONValue,
        of user: Int64,
        _ watch: StatusWatch,
        within limit: Duration,
        _ context: RouteContext,
        isOld: Bool
    ) async -> JSONValue {
        let ids = readItems(of: body).compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue }
        var start: [Int64: JSONValue] = [:]
        for item in readItems(of: body) {
            guard let meta = item["chatItem"]?["meta"], let id = meta["itemId"]?.integerValue else { continue }
            start[id] = meta["itemStatus"]
        }
        let hasAll = context.services.eventHub.statusWatches.followItems(ids, of: user, by: watch)
        // The watch lacks states if an earlier request has stored this answer, or if too many states were published
        // since the watch began. In both cases, the present states are read.
        if isOld || !hasAll {
            for id in ids { start[id] = await readCurrentStatus(id, of: user, context) ?? start[id] }
        }
        let begun = start
        func mergeStatuses(_ known: [Int64: JSONValue]) -> [Int64: JSONValue] { begun.merging(known) { $1 } }
        let timer = Task {
            try? await Task.sleep(for: limit)
            context.services.eventHub.statusWatches.endWatch(watch)
        }
        var known = watch.statuses
        while !mergeStatuses(known).values.allSatisfy(goal.isReached) {
            let mayContinue = await watch.waitForChange(beyond: known)
            known = watch.statuses
            guard mayContinue else { break }
        }
        timer.cancel()
        return body.withStatuses(statuses: mergeStatuses(known))
    }

    /// Reads the present state of an item in its chat.
    private static func readCurrentStatus(_ item: Int64, of user: Int64, _ context: RouteContext) async -> JSONValue? {
        guard let principal = context.principal, let chat = try? context.parseChat() else { return nil }
        let command = MessageCommand.getChat(
            chat: chat,
            contentTag: nil,
            pagination: .around(chatItemId: item, count: 0),
            search: nil
        )
        guard
            case .result(.apiChat(_, let found, _)) = await context.services.core.runCommand(
                .messages(command),
                as: user,
                with: principal.commandRights,
                claim: nil
            ),
            let one = found.chatItems.first(where: { $0.meta.itemId == item })
        else { return nil }
        return try? JSONEncoder().encodeValue(one.meta.itemStatus)
    }

    private static func readItems(of body: JSONValue) -> [JSONValue] { body["chatItems"]?.arrayValue ?? [] }

    /// Makes the short form: `{"type":"newItems","items":[{"itemId","itemTs","itemStatus"}]}`
    private static func makeShortForm(_ body: JSONValue) -> JSONValue {
        let list = readItems(of: body).compactMap { item -> JSONValue? in
            guard let meta = item["chatItem"]?["meta"], let id = meta["itemId"], let time = meta["itemTs"],
                let status = meta["itemStatus"]
            else { return nil }
            return ["itemId": id, "itemTs": time, "itemStatus": status]
        }
        return ["type": "newItems", "items": .array(list)]
    }
}

extension JSONValue {
    /// Returns the answer with the states of its items replaced.
    /// - Parameter statuses: the new states, by the ids of the items.
    fileprivate func withStatuses(statuses: [Int64: JSONValue]) -> JSONValue {
        guard var body = objectValue, let items = body["chatItems"]?.arrayValue else { return self }
        body["chatItems"] = .array(
            items.map { entry in
                guard var outer = entry.objectValue, var item = outer["chatItem"]?.objectValue,
                    var meta = item["meta"]?.objectValue,
                    let id = meta["itemId"]?.integerValue, let status = statuses[id]
                else { return entry }
                meta["itemStatus"] = status
                item["meta"] = .object(meta)
                outer["chatItem"] = .object(item)
                return .object(outer)
            }
        )
        return .object(body)
    }
}

extension HTTPResponse {
    /// Whether the answer is the kept answer of an earlier request.
    var isReplayed: Bool { headers.contains { $0.name == "Idempotent-Replayed" } }
}
