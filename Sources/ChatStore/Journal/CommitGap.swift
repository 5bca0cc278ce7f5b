/// The waiting for missing rows. Rows are published in the order of the numbers that they get in transactions. If a
/// number is missing for a long time, the row is read from the database.
package enum CommitGap {
    /// Waits ten seconds for a missing row. The caller then reads the row from the database.
    package static let waitForMissingRow: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
}
