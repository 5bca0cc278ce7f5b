/// Points where tests let the outbox wait or fail.
struct OutboxHooks: Sendable {
    enum Step: Sendable {
        /// Before a batch is taken.
        case taking
        /// Before the agent is given a batch.
        case accepting
        /// After the agent has committed it.
        case accepted
    }

    var step: @Sendable (Step) async throws -> Void = { _ in }
    /// Called when the agent has reported the result of the message with this first delivery.
    var settled: @Sendable (Int64) -> Void = { _ in }
    /// Waits for the time that a delivery may be missing before the database is read.
    var gapPatience: @Sendable () async -> Void = CommitGap.patience
}
