/// Waiting for missing rows of the journal or of the outbox. The rows are handled in the order of the numbers that
/// transactions give them. If the row with the next number stays missing for a long time, this row is read from the
/// database.
package enum CommitGap {
    /// Waits ten seconds for a missing row. The caller then reads the row from the database.
    package static let waitForMissingRow: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
}
