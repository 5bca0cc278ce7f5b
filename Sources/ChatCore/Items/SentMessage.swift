internal import Agent

/// A sent message with its result from the agent.
struct SentMessage: Sendable {
    var id: AgentMessageID
    var externalID: String
    /// Whether the message was sent through another relay.
    var isProxied = false
}

/// Results of sent messages. Their order has no effect, since a received message never returns to the status "sent".
struct DeliveryResults: Sendable {
    /// Messages that the relay has accepted.
    var sentMessages: [SentMessage] = []
    /// Receipts for messages that the peer has received.
    var receipts: [MessageReceipt] = []

    /// These results, split into one value for each message.
    var resultsByMessage: [DeliveryResults] {
        sentMessages.map { DeliveryResults(sentMessages: [$0]) } + receipts.map { DeliveryResults(receipts: [$0]) }
    }
}
