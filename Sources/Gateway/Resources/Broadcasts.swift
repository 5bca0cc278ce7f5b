internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for messages to many chats, which are sent at a rate and have a result for each chat.
enum BroadcastsResource {
    private static let planned = PlannedRoutes(
        kind: .broadcast,
        category: "Broadcasts",
        path: "broadcasts",
        id: "broadcastId",
        list: "broadcasts",
        missing: ProblemDetails(.notFound, "There is no such broadcast."),
        json: json
    )

    static let routes: [Route] = [
        planned.route(.get, planned.all, "listBroadcasts", .read, planned.page),
        planned.route(.post, planned.all, "createBroadcast", .write, problems: [.quotaExceeded], create),
        planned.route(.get, planned.one, "getBroadcast", .read, get),
        planned.route(.get, planned.one + "/results", "listBroadcastResults", .read, results),
        planned.route(.post, planned.one + "/cancel", "cancelBroadcast", .write, cancel),
    ]

    private static func create(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.controller(), try context.plannedCaller())
        let (body, content) = try context.plannedContent()
        let rate: Int = try body.optional("messagesPerSecond") ?? PlannedLimits.standardRate
        guard PlannedLimits.rates.contains(rate) else {
            let (least, most) = (PlannedLimits.rates.lowerBound, PlannedLimits.rates.upperBound)
            throw ProblemDetails(member: "messagesPerSecond", "must be a whole number from \(least) to \(most).")
        }
        let request = PlannedRequest(
            .broadcast,
            to: try (body.value("to") as RequestedReceivers).receivers(),
            content,
            at: try body.sendAt(),
            rate: rate
        )
        try context.refuseUnknown()
        return try context.once(.database) { idempotent async throws(ProblemDetails) in
            // A store with planned messages must be open without requests. This is recorded before the messages are
            // stored, because the gateway may be killed between both steps.
            let planning = await context.services.planning?()
            defer { withExtendedLifetime(planning) {} }
            let made = try await PlannedParts.convertingCoreErrors {
                try await controller.plan(request, by: caller) {
                    try idempotent?.row(with: planned.accepted($0, caller))
                }
            }
            return planned.accepted(made, caller)
        }
    }

    private static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try planned.get(context) { HTTPResponse(json: json($0).encoded()) }
    }

    private static func results(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.controller(), try context.plannedCaller())
        let id = try context.id("broadcastId")
        let state = try context.parameter("state").map { text throws(ProblemDetails) in
            guard let state = PlannedReceiver.State(rawValue: text) else {
                throw ProblemDetails(parameter: "state", "must be waiting, sent, failed or cancelled.")
            }
            return state
        }
        let page = try context.page()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (found, ends) = try await context.numbered(page, by: \.number) {
                (part: PlannedPart) async throws(ProblemDetails) -> [PlannedReceiver] in
                let found = try await PlannedParts.convertingCoreErrors {
                    try await controller.plannedReceivers(of: id, state, for: caller, part)
                }
                guard let found else { throw planned.missing }
                return found
            }
            return HTTPResponse("results", found.map(json), ends, context)
        }
    }

    private static func cancel(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.controller(), try context.plannedCaller())
        let id = try context.id("broadcastId")
        try context.refuseUnknown()
        return try context.once(.database) { idempotent async throws(ProblemDetails) in
            let answer = try await PlannedParts.convertingCoreErrors {
                try await controller.cancelPlanned(id, .broadcast, by: caller) {
                    try idempotent?.row(with: HTTPResponse(json: json($0).encoded()))
                }
            }
            guard case .found(let cancelled) = answer else { throw planned.missing }
            return HTTPResponse(json: json(cancelled).encoded())
        }
    }

    // MARK: Forms

    private static func json(_ planned: PlannedMessage) -> JSONValue {
        func count(_ state: PlannedReceiver.State) -> JSONValue { .integer(Int64(planned.counts[state] ?? 0)) }
        let state =
            !planned.isFinished ? "sending" : planned.counts[.cancelled] == nil ? "finished" : "cancelled"
        var object: JSONObject = [
            "broadcastId": .integer(planned.id), "state": .string(state),
            "messagesPerSecond": .integer(Int64(planned.rate)), "waiting": count(.waiting), "sent": count(.sent),
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

    func receivers() throws(ProblemDetails) -> PlannedRequest.Receivers {
        switch (chats, allContacts, tagId) {
        case (let chats?, nil, nil):
            guard (1...PlannedLimits.receivers).contains(chats.count) else {
                throw ProblemDetails(member: "to.chats", "must have 1 to \(PlannedLimits.receivers) chats.")
            }
            var found: [ChatRef] = []
            for (index, chat) in chats.enumerated() {
                found.append(try RequestedReceiver.chat(chat.chatType, chat.chatId, at: "to.chats.\(index)"))
            }
            return .chats(found)
        case (nil, true?, nil): return .allContacts
        case (nil, nil, let tagId?): return .tag(tagId)
        default:
            throw ProblemDetails(member: "to", "must have one of chats, allContacts (which is true) and tagId.")
        }
    }
}
