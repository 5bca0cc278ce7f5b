/// Rows that a commit has numbered are published in the order of their numbers. If a number stays missing, the database
/// is read.
enum CommitGap {
    /// Waits for 10 s, the time that a number may be missing before the database is read.
    static let patience: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
}
