internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for messages to one chat that are sent at a given time, or when the chat is connected.
enum ScheduledMessagesResource {
    private static let plannedRoutes = PlannedRoutes(
        kind: .scheduled,
        category: "ScheduledMessages",
        pathSuffix: "scheduled-messages",
        idParameter: "scheduledId",
        listMember: "scheduledMessages",
        missingProblem: ProblemDetails(.notFound, "There is no such scheduled message."),
        describe: makeJSON
    )

    /// The problems of a request that may make a connection by a link.
    private static let connectionProblems: Set<ProblemDetails.Code> = [
        .quotaExceeded, .relayUnreachable, .relayTimeout, .chatError,
    ]

    static let routes: [Route] = [
        plannedRoutes.makeRoute(.get, plannedRoutes.listPath, "listScheduledMessages", .read, plannedRoutes.listPage),
        plannedRoutes.makeRoute(
            .post,
            plannedRoutes.listPath,
            "scheduleMessages",
            .write,
            problems: connectionProblems,
            scheduleMessages
        ),
        plannedRoutes.makeRoute(.get, plannedRoutes.itemPath, "getScheduledMessage", .read, getScheduledMessages),
        plannedRoutes.makeRoute(
            .patch,
            plannedRoutes.itemPath,
            "updateScheduledMessage",
            [.read, .write],
            problems: [.preconditionFailed, .quotaExceeded],
            changeScheduledMessages
        ),
        plannedRoutes.makeRoute(
            .delete,
            plannedRoutes.itemPath,
            "cancelScheduledMessage",
            .write,
            cancelScheduledMessages
        ),
    ]

    private static func scheduleMessages(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let (body, content) = try context.decodePlannedContent()
        let receiver = try (body.decodeValue("to") as RequestedReceiver).parseReceiver()
        let sendAt = try body.decodeSendAt()
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { idempotent async throws(ProblemDetails) in
            if case .linkToConnect = receiver {
                // The content is checked before a link makes a connection, so that a refused request makes no
                // connection.
                try await PlannedParts.convertCoreErrors {
                    try await controller.checkPlannedMessage(content, at: sendAt, by: caller)
                }
            }
            let chats = try await context.resolveOrConnectReceivers(receiver, controller, caller)
            let request = PlannedRequest(.scheduled, to: chats, content, at: sendAt)
            // A store with planned messages must stay open even without requests. `planOpening` records this before the
            // messages are stored, so that the record exists even if the gateway is killed between both steps.
            let planning = await context.services.planOpening?()
            defer { withExtendedLifetime(planning) {} }
            let made = try await PlannedParts.convertCoreErrors {
                try await controller.planMessages(request, by: caller) {
                    try idempotent?.makeRow(with: plannedRoutes.makeAcceptedResponse($0, caller))
                }
            }
            return plannedRoutes.makeAcceptedResponse(made, caller).addingTag(makeVersionTag(made))
        }
    }

    private static func getScheduledMessages(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try plannedRoutes.getEntry(context) {
            HTTPResponse(json: makeJSON($0).encodeText()).addingTag(makeVersionTag($0))
        }
    }

    /// The members of a patch. A member that is absent keeps its value.
    private struct RequestedChange: Sendable {
        let messages: [ComposedMessage]?
        let sendAt: Timestamp??
        let ttl: Int64??

        init(_ body: RequestBody) throws(ProblemDetails) {
            messages = body.readJSONOrNull("composedMessages") == nil ? nil : try body.decodeMessages()
            sendAt = body.readJSONOrNull("sendAt") == nil ? nil : .some(try body.decodeSendAt())
            ttl = body.readJSONOrNull("ttl") == nil ? nil : .some(try body.decodeIfPresent("ttl"))
        }
    }

    private static func changeScheduledMessages(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let id = try context.parseID("scheduledId")
        let patch = try RequestedChange(context.parseBody())
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let answer = try await PlannedParts.convertCoreErrors {
                try await controller.changePlannedMessage(id, by: caller) { old in
                    (try? context.request.checkMatch(makeVersionTag(old))) != nil
                } _: { content, sendAt in
                    if let messages = patch.messages { content.messages = messages }
                    if let ttl = patch.ttl { content.ttl = ttl }
                    if let time = patch.sendAt { sendAt = time }
                }
            }
            switch answer {
            case .found(let changed):
                return HTTPResponse(json: makeJSON(changed).encodeText()).addingTag(makeVersionTag(changed))
            case .missing: throw plannedRoutes.missingProblem
            case .finished: throw ProblemDetails(.conflict, "The message does not wait any more.")
            case .changedByOther(let present):
                try context.request.checkMatch(makeVersionTag(present))
                throw ProblemDetails(.preconditionFailed)
            }
        }
    }

    private static func cancelScheduledMessages(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (controller, caller) = (try context.requireController(), try context.requirePlannedCaller())
        let id = try context.parseID("scheduledId")
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let answer = try await PlannedParts.convertCoreErrors {
                try await controller.cancelPlannedMessages(id, .scheduled, by: caller, deletes: true)
            }
            switch answer {
            case .found: return HTTPResponse(status: 204)
            case .finished: throw ProblemDetails(.conflict, "The message was sent already.")
            case .missing, .changedByOther: throw plannedRoutes.missingProblem
            }
        }
    }

    // MARK: Forms

    /// Makes the entity tag of a scheduled message from the values that clients can change.
    private static func makeVersionTag(_ planned: PlannedMessage) -> EntityTag {
        let content = planned.content.flatMap { try? JSONEncoder().encodeValue($0) } ?? .null
        return EntityTag([content.text, planned.sendAt?.fullText ?? ""])
    }

    private static func makeJSON(_ planned: PlannedMessage) -> JSONValue {
        var object: JSONObject = ["scheduledId": .integer(planned.id)]
        if let receiver = planned.receiver {
            object["chat"] = receiver.chat.json
            PlannedParts.describe(receiver, &object)
        }
        PlannedParts.describe(planned, &object)
        return .object(object)
    }
}

/// The chat in a request to schedule messages: a chat, the name of a contact, or a link.
struct RequestedReceiver: Decodable, Sendable {
    let chatType: ChatType?
    let chatId: Int64?
    let contact: String?
    let link: String?
    let incognito: Bool?

    enum Receiver: Sendable {
        case knownReceivers(PlannedRequest.Receivers)
        case linkToConnect(String, incognito: Bool)
    }

    func parseReceiver() throws(ProblemDetails) -> Receiver {
        guard incognito == nil || link != nil else {
            throw ProblemDetails(member: "to.incognito", "can be given only with link.")
        }
        switch (chatType, chatId, contact, link) {
        case (let chatType?, let chatId?, nil, nil):
            return .knownReceivers(.chats([try Self.checkChat(chatType, chatId, at: "to", waits: true)]))
        case (nil, nil, let name?, nil) where !name.isEmpty: return .knownReceivers(.contact(name: name))
        case (nil, nil, nil, let link?) where !link.isEmpty: return .linkToConnect(link, incognito: incognito ?? false)
        default:
            throw ProblemDetails(member: "to", "must have chatType with chatId, or contact, or link.")
        }
    }

    /// Checks the kind and the id of a chat to which messages are sent later.
    /// - Parameter waits: whether the chat may be a pending connection.
    static func checkChat(
        _ type: ChatType,
        _ id: Int64,
        at member: String,
        waits: Bool = false
    ) throws(ProblemDetails) -> ChatRef {
        let types: [ChatType] = [.direct, .group] + (waits ? [.contactConnection] : [])
        guard types.contains(where: { $0 == type }) else {
            let names = waits ? "direct, group or contactConnection" : "direct or group"
            throw ProblemDetails(member: member, "must have the chatType \(names).")
        }
        guard id > 0 else { throw ProblemDetails(member: member, "must have a positive chatId.") }
        return ChatRef(chatType: type, chatId: id)
    }
}

extension RouteContext {
    /// Returns the chat of scheduled messages. If the receiver is a link without a connection, makes the connection
    /// first. A request that is repeated after a crash finds this connection.
    fileprivate func resolveOrConnectReceivers(
        _ receiver: RequestedReceiver.Receiver,
        _ controller: ChatController,
        _ caller: PlannedCaller
    ) async throws(ProblemDetails) -> PlannedRequest.Receivers {
        switch receiver {
        case .knownReceivers(let receivers): return receivers
        case .linkToConnect(let link, let incognito):
            let known = try await PlannedParts.convertCoreErrors {
                try await controller.findPlannedChat(link: link, for: caller)
            }
            if let known { return .chats([known]) }
            let command = ChatCommand.contacts(
                .connect(userId: caller.userId, incognito: incognito, connLink: CreatedConnLink(connFullLink: link))
            )
            switch await services.core.runCommand(command, as: caller.userId, with: caller.rights, claim: nil) {
            case .result(.sentConfirmation(_, let connection, _)), .result(.sentInvitation(_, let connection, _)):
                return .chats([ChatRef(chatType: .contactConnection, chatId: connection.pccConnId)])
            case .result(.contactAlreadyExists(_, let contact)):
                return .chats([ChatRef(chatType: .direct, chatId: contact.contactId)])
            case .result: throw ProblemDetails(.conflict, "The link leads to no contact.")
            case .error(let error): throw ProblemDetails(error)
            }
        }
    }
}
