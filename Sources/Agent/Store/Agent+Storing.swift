import Concurrency
import SQLCipher

extension Agent {
    /// Stores data that would otherwise be lost. While the database has no room, the write is repeated, until the agent
    /// stops.
    /// - Parameter delay: how long the commit may wait for another one while the agent is online, asked when the body
    ///   was run.
    /// - Throws: permanent errors, and the database's error once the agent has stopped.
    func storing<T: Sendable>(
        within delay: @escaping @Sendable (T) -> Duration = { _ in .zero },
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await repeating {
            try await database.write(body, within: { [weak self] in (try? self?.online()) != nil ? delay($0) : .zero })
        }
    }

    /// Like ``storing(within:_:)``, but `body` is run after what its commit has waited for.
    func storingLast<T: Sendable>(
        within delay: Duration,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await repeating {
            try await database.writeLast(within: { [weak self] in (try? self?.online()) != nil ? delay : .zero }, body)
        }
    }

    private func repeating<T: Sendable>(_ write: () async throws -> T) async throws -> T {
        var attempt = 0
        while true {
            do { return try await write() } catch let error as DatabaseError where error.isTemporary {
                if attempt == 0 {
                    logger.error(
                        "change of the database not stored yet: next attempts follow",
                        metadata: ["error": "\(error)"]
                    )
                }
                guard (try? online()) != nil,
                    (try? await Task.sleep(for: Self.storingDelays.delay(attempt: attempt))) != nil
                else { throw error }
                attempt += 1
            }
        }
    }

    private static let storingDelays = Backoff.retries(.milliseconds(100), limit: .seconds(1))
}
