import SQLCipher

extension Agent {
    /// Writes what has happened, and what would not happen again if it were not stored. As long as the database has no room for it, it is tried
    /// again, until the agent stops.
    /// - Throws: what another attempt would not change, and what the database says when the agent has stopped.
    func storing<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        var attempt = 0
        while true {
            do { return try await database.write(body) } catch let error as DatabaseError where error.isTemporary {
                if attempt == 0 { logger.error("not stored yet", metadata: ["error": "\(error)"]) }
                guard (try? online()) != nil, (try? await Task.sleep(for: Self.storingDelays.delay(attempt: attempt))) != nil else { throw error }
                attempt += 1
            }
        }
    }

    private static let storingDelays = RetryDelays(initial: .milliseconds(100), max: .seconds(1))
}
