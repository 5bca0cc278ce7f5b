/// The treatment of missing rows in the journal and in the outbox. Rows are handled in the order of the numbers that
/// transactions give them. If the row with the next number is missing for a long time, the database is searched for it.
package enum CommitGap {
    /// Waits ten seconds for a missing row. Afterwards, the caller searches the database for the row.
    package static let waitForMissingRow: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
}
