/// A job for a reader.
struct ReadJob: Sendable {
    let run: @Sendable (DatabaseConnection) -> Void
    /// Called instead of `run` when no connection is available.
    let fail: @Sendable (any Error) -> Void
}

/// Runs `body` in a transaction that sees one state of the database from its first query on.
func snapshot<T>(on connection: DatabaseConnection, _ body: (DatabaseConnection) throws -> T) throws -> T {
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    return try body(connection)
}
