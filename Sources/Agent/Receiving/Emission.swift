/// An event for the handler, with the database rows that are deleted when the handler has processed the event.
struct Emission: Sendable {
    var event: AgentEvent
    /// The stored row of the event, from which the next start repeats the event after a crash.
    var storedEvent: PendingEvent?
    /// The message of the outbox whose result the event reports.
    var reportedMessage: AgentMessageID?
    /// The message that caused an error event. The agent acknowledges the message when the handler has processed the
    /// event. Only then the relay delivers the next message of the queue. So a relay or peer that sends only bad
    /// messages causes at most one pending event for each queue.
    var pendingAcknowledgement: RelayAcknowledgement?
    /// Number of deliveries of the event by earlier starts; nil for a new event of this run.
    var deliveryAttempts: Int64?

    init(_ event: AgentEvent, reportedMessage message: AgentMessageID? = nil) {
        self.event = event
        reportedMessage = message
    }

    init(_ pending: PendingEvent) {
        event = pending.event
        storedEvent = pending
    }
}
