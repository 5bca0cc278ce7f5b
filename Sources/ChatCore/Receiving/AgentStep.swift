internal import Agent

/// A message of a contact as the agent gives it.
struct ReceivedBody: Sendable {
    var meta: MessageMeta
    var body: [UInt8]
}

/// A message that the agent has news of.
struct SentMessage: Sendable {
    var id: AgentMessageID
    var externalID: String
    /// Whether it went through another relay.
    var isProxied = false
}

/// Events of the agent that are dealt with in one transaction.
enum AgentStep: Sendable {
    case messages(ConnectionID, [ReceivedBody])
    case sent(ConnectionID, [SentMessage])
    case event(AgentEvent)

    /// The connection on which a confirmation, a request or messages have come; nil for what else there is to tell.
    var connection: ConnectionID? {
        switch self {
        case .messages(let id, _), .sent(let id, _): id
        case .event(.confirmation(let id, _, _)), .event(.request(let id, _, _)), .event(.info(let id, _)), .event(.connected(let id)): id
        case .event(.joined(let id, _)): id
        case .event: nil
        }
    }

    /// Each message by itself.
    var parts: [AgentStep] {
        switch self {
        case .messages(let id, let messages): messages.map { .messages(id, [$0]) }
        case .sent(let id, let messages): messages.map { .sent(id, [$0]) }
        case .event: [self]
        }
    }

    /// Puts together what follows each other and is of the same kind and connection.
    static func steps(_ events: [AgentEvent]) -> [AgentStep] {
        var steps: [AgentStep] = []
        for event in events {
            switch event {
            case .message(let id, let meta, _, let body):
                let message = ReceivedBody(meta: meta, body: body)
                if case .messages(let last, let messages)? = steps.last, last == id {
                    steps[steps.count - 1] = .messages(id, messages + [message])
                } else {
                    steps.append(.messages(id, [message]))
                }
            case .sent(let id, let messageID, let externalID, let isProxied):
                let message = SentMessage(id: messageID, externalID: externalID, isProxied: isProxied)
                if case .sent(let last, let messages)? = steps.last, last == id {
                    steps[steps.count - 1] = .sent(id, messages + [message])
                } else {
                    steps.append(.sent(id, [message]))
                }
            default: steps.append(.event(event))
            }
        }
        return steps
    }
}
