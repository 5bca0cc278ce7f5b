/// Stored data that the agent may delete, because the handler does not need it any more.
enum DeletableData: Sendable {
    case messages(AcknowledgedMessages)
    case event(PendingEvent)
    /// A message of the outbox whose result the handler has processed.
    case sentMessage(ConnectionID, AgentMessageID)
}

/// Messages that the handler has acknowledged.
struct AcknowledgedMessages: Sendable {
    var connection: ConnectionID
    var messageIDs: [AgentMessageID]
    var receipts: Set<AgentMessageID>
}
