/// Rows that a commit has numbered are published in the order of their numbers. A number that stays away is looked for in the database.
enum CommitGap {
    /// Waits as long as a number may stay away before the database is read: 10 s.
    static let patience: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
}
