/// The wait for missing numbers. Rows that get numbers in a transaction are published in the order of these numbers. If
/// a number is missing for a long time, the rows are read from the database.
package enum CommitGap {
    /// Waits for 10 s. If a number is missing for longer, the rows are read from the database.
    package static let waitForMissingRow: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
}
