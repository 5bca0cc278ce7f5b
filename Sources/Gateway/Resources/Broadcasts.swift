internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for messages to many chats. The messages are sent at a limited rate, and have a result for each chat.
enum BroadcastsResource {
    private static let plannedRoutes = PlannedRoutes(
        kind: .broadcast,
        category: "Broadcasts",
        pathSuffix: "broadcasts",
        idParameter: "broadcastId",
        listMember: "broadcasts",
        missingProblem: ProblemDetails(.notFound, "There is no such broadcast."),
        describe: makeJSON
    )

    static let routes: [Route] = [
        plannedRoutes.makeRoute(.get, plannedRoutes.listPath, "listBroadcasts", .read, plannedRoutes.listPage),
        plannedRoutes.makeRoute(
            .post,
            plannedRoutes.listPath,
            "createBroadcast",
            .write,
            problems: [.quotaExceeded],
            createBroadcast
        ),
        plannedRoutes.makeRoute(.get, plannedRoutes.itemPath, "getBroadcast", .read, getBroadcast),
        plannedRoutes.makeRoute(.get, plannedRoutes.itemPath + "/results", "listBroadcastResults", .read, listResults),
        plannedRoutes.makeRoute(.post, plannedRoutes.itemPath + "/cancel", "cancelBroadcast", .write, cancelBroadcast),
    ]

    private static func createBroadcast(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let (body, content) = try context.decodePlannedContent()
        let rate: Int = try body.decodeIfPresent("messagesPerSecond") ?? PlannedLimits.defaultMessagesPerSecond
        guard PlannedLimits.permittedMessagesPerSecond.contains(rate) else {
            let (least, most) = (
                PlannedLimits.permittedMessagesPerSecond.lowerBound, PlannedLimits.permittedMessagesPerSecond.upperBound
            )
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
            // A store with planned messages must stay open even without requests. `planOpening` records this before the
            // messages are stored, so that the record exists even if the gateway is killed between both steps.
            let planning = await context.services.planOpening?()
            defer { withExtendedLifetime(planning) {} }
            let made = try await PlannedParts.convertCoreErrors {
                try await controller.planMessages(request, by: caller) {
                    try idempotent?.makeRow(with: plannedRoutes.makeAcceptedResponse($0, caller))
                }
            }
            return plannedRoutes.makeAcceptedResponse(made, caller)
        }
    }

    private static func getBroadcast(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try plannedRoutes.getEntry(context) { HTTPResponse(json: makeJSON($0).encodeText()) }
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
        return context.replyLater { () async throws(ProblemDetails) in
            let (found, ends) = try await context.readPageByNumber(page, by: \.receiverNumber) {
                (part: PlannedListPart) async throws(ProblemDetails) -> [PlannedReceiver] in
                let found = try await PlannedParts.convertCoreErrors {
                    try await controller.listBroadcastReceivers(of: id, state, for: caller, part)
                }
                guard let found else { throw plannedRoutes.missingProblem }
                return found
            }
            return HTTPResponse("results", found.map(makeJSON), ends, context)
        }
    }

    private static func cancelBroadcast(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let id = try context.parseID("broadcastId")
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { idempotent async throws(ProblemDetails) in
            let answer = try await PlannedParts.convertCoreErrors {
                try await controller.cancelPlannedMessages(id, .broadcast, by: caller) {
                    try idempotent?.makeRow(with: HTTPResponse(json: makeJSON($0).encodeText()))
                }
            }
            guard case .found(let cancelled) = answer else { throw plannedRoutes.missingProblem }
            return HTTPResponse(json: makeJSON(cancelled).encodeText())
        }
    }

    // MARK: Forms

    private static func makeJSON(_ planned: PlannedMessage) -> JSONValue {
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

    private static func makeJSON(_ receiver: PlannedReceiver) -> JSONValue {
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
            throw ProblemDetails(member: "to", "must have one of chats, tagId, and allContacts with the value true.")
        }
    }
}
