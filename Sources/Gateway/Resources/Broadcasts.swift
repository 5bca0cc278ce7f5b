internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for messages to many chats, which are sent at a rate and have a result for each chat.
enum BroadcastsResource {
    private static let plannedRoutes = PlannedRoutes(
        kind: .broadcast,
        category: "Broadcasts",
        path: "broadcasts",
        idParameter: "broadcastId",
        listMember: "broadcasts",
        missingProblem: ProblemDetails(.notFound, "There is no such broadcast."),
        describe: json
    )

    static let routes: [Route] = [
        plannedRoutes.route(.get, plannedRoutes.listPath, "listBroadcasts", .read, plannedRoutes.listPage),
        plannedRoutes.route(
            .post,
            plannedRoutes.listPath,
            "createBroadcast",
            .write,
            problems: [.quotaExceeded],
            create
        ),
        plannedRoutes.route(.get, plannedRoutes.itemPath, "getBroadcast", .read, get),
        plannedRoutes.route(.get, plannedRoutes.itemPath + "/results", "listBroadcastResults", .read, listResults),
        plannedRoutes.route(.post, plannedRoutes.itemPath + "/cancel", "cancelBroadcast", .write, cancel),
    ]

    private static func create(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let (body, content) = try context.decodePlannedContent()
        let rate: Int = try body.decodeIfPresent("messagesPerSecond") ?? PlannedLimits.standardRate
        guard PlannedLimits.permittedRates.contains(rate) else {
            let (least, most) = (PlannedLimits.permittedRates.lowerBound, PlannedLimits.permittedRates.upperBound)
            throw ProblemDetails(member: "messagesPerSecond", "must be a whole number from \(least) to \(most).")
        }
        let request = PlannedRequest(
            .broadcast,
            to: try (body.decodeValue("to") as RequestedReceivers).parseReceivers(),
            content,
            at: try body.decodeSendAt(),
            rate: rate
        )
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { idempotent async throws(ProblemDetails) in
            // A store with planned messages must be open without requests. This is recorded before the messages are
            // stored, because the gateway may be killed between both steps.
            let planning = await context.services.planOpening?()
            defer { withExtendedLifetime(planning) {} }
            let made = try await PlannedParts.convertingCoreErrors {
                try await controller.planMessages(request, by: caller) {
                    try idempotent?.makeRow(with: plannedRoutes.acceptedResponse($0, caller))
                }
            }
            return plannedRoutes.acceptedResponse(made, caller)
        }
    }

    private static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try plannedRoutes.get(context) { HTTPResponse(json: json($0).encoded()) }
    }

    private static func listResults(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let id = try context.parseID("broadcastId")
        let state = try context.readParameter("state").map { text throws(ProblemDetails) in
            guard let state = PlannedReceiver.State(rawValue: text) else {
                throw ProblemDetails(parameter: "state", "must be waiting, sent, failed or cancelled.")
            }
            return state
        }
        let page = try context.parsePage()
        try context.refuseUnknownNames()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (found, ends) = try await context.readNumberedPage(page, by: \.number) {
                (part: PlannedPart) async throws(ProblemDetails) -> [PlannedReceiver] in
                let found = try await PlannedParts.convertingCoreErrors {
                    try await controller.listPlannedReceivers(of: id, state, for: caller, part)
                }
                guard let found else { throw plannedRoutes.missingProblem }
                return found
            }
            return HTTPResponse("results", found.map(json), ends, context)
        }
    }

    private static func cancel(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let id = try context.parseID("broadcastId")
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { idempotent async throws(ProblemDetails) in
            let answer = try await PlannedParts.convertingCoreErrors {
                try await controller.cancelPlanned(id, .broadcast, by: caller) {
                    try idempotent?.makeRow(with: HTTPResponse(json: json($0).encoded()))
                }
            }
            guard case .found(let cancelled) = answer else { throw plannedRoutes.missingProblem }
            return HTTPResponse(json: json(cancelled).encoded())
        }
    }

    // MARK: Forms

    private static func json(_ planned: PlannedMessage) -> JSONValue {
        func count(_ state: PlannedReceiver.State) -> JSONValue { .integer(Int64(planned.receiverCounts[state] ?? 0)) }
        let state =
            !planned.isFinished ? "sending" : planned.receiverCounts[.cancelled] == nil ? "finished" : "cancelled"
        var object: JSONObject = [
            "broadcastId": .integer(planned.id), "state": .string(state),
            "messagesPerSecond": .integer(Int64(planned.messagesPerSecond)), "waiting": count(.waiting),
            "sent": count(.sent),
            "failed": count(.failed), "cancelled": count(.cancelled),
        ]
        if let finishedAt = planned.finishedAt { object["finishedAt"] = .string(finishedAt.fullText) }
        PlannedParts.describe(planned, &object)
        return .object(object)
    }

    private static func json(_ receiver: PlannedReceiver) -> JSONValue {
        var object: JSONObject = ["chat": receiver.chat.json]
        PlannedParts.describe(receiver, &object)
        return .object(object)
    }
}

/// The chats in a request to send a broadcast: a list, all contacts, or the chats with a tag.
private struct RequestedReceivers: Decodable, Sendable {
    struct Chat: Decodable, Sendable {
        let chatType: ChatType
        let chatId: Int64
    }

    let chats: [Chat]?
    let allContacts: Bool?
    let tagId: Int64?

    func parseReceivers() throws(ProblemDetails) -> PlannedRequest.Receivers {
        switch (chats, allContacts, tagId) {
        case (let chats?, nil, nil):
            guard (1...PlannedLimits.maxReceivers).contains(chats.count) else {
                throw ProblemDetails(member: "to.chats", "must have 1 to \(PlannedLimits.maxReceivers) chats.")
            }
            var found: [ChatRef] = []
            for (index, chat) in chats.enumerated() {
                found.append(try RequestedReceiver.checkChat(chat.chatType, chat.chatId, at: "to.chats.\(index)"))
            }
            return .chats(found)
        case (nil, true?, nil): return .allContacts
        case (nil, nil, let tagId?): return .tag(tagId)
        default:
            throw ProblemDetails(member: "to", "must have one of chats, allContacts (which is true) and tagId.")
        }
    }
}
