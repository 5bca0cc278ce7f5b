internal import ChatAPI
internal import ChatCore
internal import JSON

/// The route that shows the steps of a message, such as its acceptance and its receipt.
extension MessagesResource {
    static let traceRoutes: [Route] = [
        Route(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}/trace",
            "getMessageTrace",
            category: "Messages",
            access: .key(.read),
            policy: .chatData.replacing(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            let (user, chat, item) = (
                try context.parseID("userId"), try context.parseChat(), try context.parseID("itemId")
            )
            let page = try context.parsePage()
            guard chat.chatType != .contactConnection else { throw notFound }
            let traces = try context.requireController().messageTraces
            return context.replyLater { () async throws(ProblemDetails) in
                let steps: [MessageStep]?
                do { steps = try await traces.readSteps(of: item, in: chat, user: user) } catch {
                    throw ProblemDetails(error, "The steps of the message could not be read.")
                }
                guard let steps else { throw notFound }
                let (entries, ends) = page.selectPage(of: steps) {
                    ListPlace(number: $0.deliveryId, text: "\($0.kind.rawValue)")
                }
                return HTTPResponse("steps", entries.map(makeJSON), ends, context)
            }
        }
    ]

    private static let notFound = ProblemDetails(.notFound, "There is no such profile, chat or message.")

    private static func makeJSON(_ step: MessageStep) -> JSONValue {
        var object = JSONObject([("step", .string("\(step.kind)")), ("time", .string(step.time.api))])
        if let contact = step.contactId { object["contactId"] = .integer(contact) }
        if let member = step.groupMemberId { object["groupMemberId"] = .integer(member) }
        return .object(object)
    }
}
