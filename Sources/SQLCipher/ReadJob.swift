/// A job for a reader of a database.
struct ReadJob: Sendable {
    let run: @Sendable (DatabaseConnection) -> Void
    /// A function that is called instead of `run` when no connection is available.
    let reportFailure: @Sendable (any Error) -> Void
}

/// Runs `body` in a transaction. All its queries see the state of the database at the first query.
func runOnSnapshot<T>(on connection: DatabaseConnection, _ body: (DatabaseConnection) throws -> T) throws -> T {
    try connection.execute("BEGIN")
    defer { connection.rollBackIfNeeded() }
    return try body(connection)
}
