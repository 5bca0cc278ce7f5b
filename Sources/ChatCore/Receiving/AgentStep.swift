internal import Agent

/// Events of the agent that are handled in one transaction.
enum AgentStep: Sendable {
    case messages(ConnectionID, [ReceivedBody])
    /// Results of sent messages: the relay has accepted messages, or receipts of the peer have arrived.
    case deliveryResults(ConnectionID, DeliveryResults)
    case event(AgentEvent)

    /// The connection of the messages, of the results, or of an event about the setup of a connection; nil for other
    /// events.
    var connection: ConnectionID? {
        switch self {
        case .messages(let id, _), .deliveryResults(let id, _): id
        case .event(.confirmation(let id, _, _)), .event(.request(let id, _, _)), .event(.info(let id, _)),
            .event(.connected(let id)):
            id
        case .event(.joined(let id, _)): id
        case .event: nil
        }
    }

    /// The link at which a signed request has arrived; nil for all other events. A subscriber sends such a request to
    /// join a channel at its relay.
    var signedRequestLink: ConnectionID? {
        if case .event(.request(let link, _, connInfo: let info)) = self, info.first == UInt8(ascii: "/") {
            link
        } else {
            nil
        }
    }

    /// Whether the handling of this step may increase the use of the resources that the store limits. Results of sent
    /// messages only decrease this use.
    var addsToStore: Bool {
        switch self {
        case .messages: true
        case .deliveryResults: false
        case .event(let event):
            switch event {
            case .confirmation, .request, .joined, .info, .connected, .message, .gap, .ratchetSync, .queueSwitchChanged:
                true
            default: false
            }
        }
    }

    /// This step, divided into a separate step for each message or result. A step with an event is not divided.
    var singleItemSteps: [AgentStep] {
        switch self {
        case .messages(let id, let messages): messages.map { .messages(id, [$0]) }
        case .deliveryResults(let id, let news): news.resultsByMessage.map { .deliveryResults(id, $0) }
        case .event: [self]
        }
    }

    /// Converts events to steps. Consecutive messages, or results, of one connection are joined to one step.
    static func makeSteps(_ events: [AgentEvent]) -> [AgentStep] {
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
                addResults(
                    DeliveryResults(sentMessages: [
                        SentMessage(id: messageID, externalID: externalID, isProxied: isProxied)
                    ]),
                    of: id,
                    to: &steps
                )
            case .receipts(let id, let receipts): addResults(DeliveryResults(receipts: receipts), of: id, to: &steps)
            default: steps.append(.event(event))
            }
        }
        return steps
    }

    private static func addResults(_ news: DeliveryResults, of id: ConnectionID, to steps: inout [AgentStep]) {
        if case .deliveryResults(let last, let before)? = steps.last, last == id {
            steps[steps.count - 1] = .deliveryResults(
                id,
                DeliveryResults(
                    sentMessages: before.sentMessages + news.sentMessages,
                    receipts: before.receipts + news.receipts
                )
            )
        } else {
            steps.append(.deliveryResults(id, news))
        }
    }
}
