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

/// What has become of messages. In which order the two come does not matter: a message that was received stays so.
struct SentNews: Sendable {
    /// The relay has them.
    var sent: [SentMessage] = []
    /// The peer has them.
    var receipts: [MessageReceipt] = []

    /// Each message by itself.
    var parts: [SentNews] { sent.map { SentNews(sent: [$0]) } + receipts.map { SentNews(receipts: [$0]) } }
}

/// Events of the agent that are dealt with in one transaction.
enum AgentStep: Sendable {
    case messages(ConnectionID, [ReceivedBody])
    /// News of sent messages, from the relay and from the peer.
    case statuses(ConnectionID, SentNews)
    case event(AgentEvent)

    /// The connection of a confirmation, a request or messages; nil for other events.
    var connection: ConnectionID? {
        switch self {
        case .messages(let id, _), .statuses(let id, _): id
        case .event(.confirmation(let id, _, _)), .event(.request(let id, _, _)), .event(.info(let id, _)), .event(.connected(let id)): id
        case .event(.joined(let id, _)): id
        case .event: nil
        }
    }

    /// The link that a signed request came to; nil for all else. The relays of channels are asked so to let somebody in.
    var signedRequestLink: ConnectionID? {
        if case .event(.request(let link, _, connInfo: let info)) = self, info.first == UInt8(ascii: "/") { link } else { nil }
    }

    /// Whether it may add what a store can be full of. News of sent messages make room.
    var addsToStore: Bool {
        switch self {
        case .messages: true
        case .statuses: false
        case .event(let event):
            switch event {
            case .confirmation, .request, .joined, .info, .connected, .message, .gap, .ratchetSync, .switched: true
            default: false
            }
        }
    }

    /// Each message by itself.
    var parts: [AgentStep] {
        switch self {
        case .messages(let id, let messages): messages.map { .messages(id, [$0]) }
        case .statuses(let id, let news): news.parts.map { .statuses(id, $0) }
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
                add(SentNews(sent: [SentMessage(id: messageID, externalID: externalID, isProxied: isProxied)]), of: id, to: &steps)
            case .receipts(let id, let receipts): add(SentNews(receipts: receipts), of: id, to: &steps)
            default: steps.append(.event(event))
            }
        }
        return steps
    }

    private static func add(_ news: SentNews, of id: ConnectionID, to steps: inout [AgentStep]) {
        if case .statuses(let last, let before)? = steps.last, last == id {
            steps[steps.count - 1] = .statuses(id, SentNews(sent: before.sent + news.sent, receipts: before.receipts + news.receipts))
        } else {
            steps.append(.statuses(id, news))
        }
    }
}
