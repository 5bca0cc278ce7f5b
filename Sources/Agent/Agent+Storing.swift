import Concurrency
import SQLCipher

extension Agent {
    /// Stores data that would otherwise be lost. While the disk is full, the write is repeated, until the agent stops.
    /// - Parameter delay: a function that returns the longest time for which an online agent delays the commit. The
    ///   function is called after `body`.
    /// - Throws: permanent errors; after the stop of the agent also temporary errors of the database.
    func storeWithRetry<T: Sendable>(
        within delay: @escaping @Sendable (T) -> Duration = { _ in .zero },
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await retryWhileTemporary {
            try await database.write(
                body,
                within: { [weak self] in (try? self?.requireOnline()) != nil ? delay($0) : .zero }
            )
        }
    }

    /// Stores data as ``storeWithRetry(within:_:)`` does. But if the change waits for the commit of another change,
    /// `body` runs after this wait, just before the commit.
    func storeBeforeCommitWithRetry<T: Sendable>(
        within delay: Duration,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await retryWhileTemporary {
            try await database.writeLast(
                within: { [weak self] in (try? self?.requireOnline()) != nil ? delay : .zero },
                body
            )
        }
    }

    private func retryWhileTemporary<T: Sendable>(_ write: () async throws -> T) async throws -> T {
        var attempt = 0
        while true {
            do { return try await write() } catch let error as DatabaseError where error.isTemporary {
                if attempt == 0 {
                    logger.error(
                        "change of the database not stored yet: next attempts follow",
                        metadata: ["error": "\(error)"]
                    )
                }
                guard (try? requireOnline()) != nil,
                    (try? await Task.sleep(for: Self.storeRetryDelays.computeDelay(attempt: attempt))) != nil
                else { throw error }
                attempt += 1
            }
        }
    }

    private static let storeRetryDelays = Backoff.makeRetryBackoff(.milliseconds(100), limit: .seconds(1))
}
