internal import ChatStore

/// Points at which tests make the outbox wait or fail.
struct OutboxHooks: Sendable {
    enum Step: Sendable {
        /// The point before a batch is removed from the queue.
        case beforeTaking
        /// The point before a batch is passed to the agent.
        case beforeAccepting
        /// The point after the agent has committed the batch.
        case afterAccepting
    }

    var onStep: @Sendable (Step) async throws -> Void = { _ in }
    /// A function that is called after the agent has reported the result of a message. Its argument is the id of the
    /// first delivery in the message.
    var onDeliveryResult: @Sendable (Int64) -> Void = { _ in }
    /// A function that waits before the outbox searches the database for a missing delivery.
    var waitBeforeGapSearch: @Sendable () async -> Void = CommitGap.waitForMissingRow
}
