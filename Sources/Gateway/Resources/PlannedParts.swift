internal import ChatAPI
internal import ChatCore
internal import JSON

/// Common parts of scheduled messages and broadcasts.
extension RouteContext {
    /// Returns the caller of a request about planned messages: the user in the path, and the key with its rights.
    func requirePlannedCaller() throws(ProblemDetails) -> PlannedCaller {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        return PlannedCaller(userId: try parseID("userId"), keyId: principal.keyID, rights: principal.commandRights)
    }

    /// Reads the content of messages that are sent later.
    func decodePlannedContent() throws(ProblemDetails) -> (body: RequestBody, content: PlannedContent) {
        let outgoing = try decodeOutgoingBody()
        let body = outgoing.body
        let content = PlannedContent(
            messages: try outgoing.decodeMessages(),
            ttl: try body.decodeIfPresent("ttl"),
            sendAsGroup: try body.decodeIfPresent("sendAsGroup") ?? false,
            sign: try body.decodeIfPresent("sign") ?? false
        )
        return (body, content)
    }

    /// Reads a page of a list whose entries have numbers.
    /// - Parameters:
    ///   - number: returns the number of an entry. The list begins with the least number.
    ///   - read: reads the entries before or after the entry with a given number, or the beginning of the list.
    func readPageByNumber<Entry>(
        _ page: PageRequest,
        by number: (Entry) -> Int64,
        _ read: (PlannedListPart) async throws(ProblemDetails) -> [Entry]
    ) async throws(ProblemDetails) -> ([Entry], PageCursors) {
        let goesBack = page.cursor?.direction == .prev
        let part = PlannedListPart(beside: page.cursor?.place.number, isBeforeEntry: goesBack, limit: page.limit + 1)
        let found = try await read(part)
        let goesOn = found.count > page.limit
        let entries = Array(goesBack ? found.suffix(page.limit) : found.prefix(page.limit))
        let ends = page.makeCursors(
            entries.first.map { ListPlace(number: number($0)) },
            entries.last.map { ListPlace(number: number($0)) },
            hasPrev: goesBack ? goesOn : page.cursor != nil,
            hasNext: goesBack || goesOn
        )
        return (entries, ends)
    }
}

extension RequestBody {
    /// Reads the optional time at which messages are sent.
    func decodeSendAt() throws(ProblemDetails) -> Timestamp? {
        guard let text: String = try decodeIfPresent("sendAt") else { return nil }
        guard let time = Timestamp(parsing: text) else {
            throw ProblemDetails(member: "sendAt", "must be a time in UTC, such as 2026-01-31T12:00:00Z.")
        }
        return time
    }
}

extension PlannedListPart {
    /// The same part, with the number of its entry negated, for a list that begins with the greatest number.
    var descending: PlannedListPart {
        PlannedListPart(beside: entryId.map { $0 == .min ? .max : -$0 }, isBeforeEntry: isBeforeEntry, limit: limit)
    }
}

/// The parts of the routes that scheduled messages and broadcasts have in common.
struct PlannedRoutes: Sendable {
    let kind: PlannedMessage.Kind
    let category: String
    /// The last part of the path of the route that lists the planned objects.
    let pathSuffix: String
    /// The path parameter with the id of a planned message.
    let idParameter: String
    /// The member of the answer that contains the list.
    let listMember: String
    let missingProblem: ProblemDetails
    let describe: @Sendable (PlannedMessage) -> JSONValue

    var listPath: String { "/v1/users/{userId}/\(pathSuffix)" }
    var itemPath: String { "\(listPath)/{\(idParameter)}" }

    func makeRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        _ scopes: Scopes,
        problems: Set<ProblemDetails.Code> = [],
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(
            method,
            template,
            id,
            category: category,
            access: .key(scopes),
            policy: .plannedMessages,
            problems: problems,
            handler: handler
        )
    }

    /// Answers with a page of the list, the latest planned message first.
    func listPage(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let page = try context.parsePage(limit: 50, most: 200)
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (found, ends) = try await context.readPageByNumber(page, by: { -$0.id }) {
                (part: PlannedListPart) async throws(ProblemDetails) -> [PlannedMessage] in
                try await PlannedParts.convertCoreErrors {
                    try await controller.listPlannedMessages(kind, for: caller, part.descending)
                }
            }
            return HTTPResponse(listMember, found.map(describe), ends, context)
        }
    }

    /// Answers with the planned message that the path names.
    func getEntry(
        _ context: RouteContext,
        _ answer: @escaping @Sendable (PlannedMessage) -> HTTPResponse
    ) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let number = try context.parseID(idParameter)
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let found = try await PlannedParts.convertCoreErrors {
                try await controller.findPlannedMessage(number, kind, for: caller)
            }
            guard let found else { throw missingProblem }
            return answer(found)
        }
    }

    /// Makes the answer to the request that has created a planned message.
    func makeAcceptedResponse(_ planned: PlannedMessage, _ caller: PlannedCaller) -> HTTPResponse {
        var response = HTTPResponse(status: 202, json: describe(planned).encodeText())
        response.headers.append(("Location", "/v1/users/\(caller.userId)/\(pathSuffix)/\(planned.id)"))
        return response
    }
}

enum PlannedParts {
    /// Runs a request to the core, and turns its errors into problems.
    static func convertCoreErrors<T>(_ body: () async throws -> T) async throws(ProblemDetails) -> T {
        do { return try await body() } catch let refusal as PlannedRefusal { throw ProblemDetails(refusal.error) } catch
        {
            throw error as? ProblemDetails ?? ProblemDetails(.unavailable, "The database does not answer.")
        }
    }

    /// Adds to a JSON object the members that scheduled messages and broadcasts have in common.
    static func describe(_ planned: PlannedMessage, _ object: inout JSONObject) {
        object["keyId"] = .string(planned.keyId)
        object["createdAt"] = .string(planned.createdAt.fullText)
        if let sendAt = planned.sendAt { object["sendAt"] = .string(sendAt.fullText) }
        guard let content = planned.content else { return }
        object["composedMessages"] = try? JSONEncoder().encodeValue(content.messages)
        if let ttl = content.ttl { object["ttl"] = .integer(ttl) }
        if content.sendAsGroup { object["sendAsGroup"] = true }
        if content.sign { object["sign"] = true }
    }

    /// Adds the result for a receiver to a JSON object: the state, the ids of the sent items, the problem, and the time
    /// of the end.
    static func describe(_ receiver: PlannedReceiver, _ object: inout JSONObject) {
        object["state"] = .string(receiver.state.rawValue)
        if !receiver.itemIds.isEmpty { object["itemIds"] = .array(receiver.itemIds.map { .integer($0) }) }
        if let problem = receiver.problem { object["problem"] = PlannedParts.makeProblemJSON(problem) }
        if let doneAt = receiver.finishedAt { object["doneAt"] = .string(doneAt.fullText) }
    }

    /// Makes the problem that is shown for a receiver, from the stored error.
    private static func makeProblemJSON(_ error: JSONValue) -> JSONValue {
        let inner = error["errorType"] ?? .null
        let (code, detail): (ProblemDetails.Code, String) =
            switch inner["type"]?.stringValue {
            case "accessDenied": (.forbidden, inner["reason"]?.stringValue ?? "")
            default:
                {
                    let tag = ChatErrorExplanation(error)
                    return (tag.code, tag.detail)
                }()
            }
        return ["code": .string(code.rawValue), "detail": .string(detail)]
    }
}
