internal import ChatAPI
internal import Synchronization

/// Limits the number of attempts to guess the passwords of hidden users. Commands from all interfaces are counted
/// together.
///
/// An attempt is counted from its beginning, so that parallel attempts cannot bypass the limit. After its end, only an
/// attempt that failed with `userUnknown` stays counted. The count is kept in memory.
final class ViewPasswordTries: Sendable {
    /// The maximum number of consecutive wrong passwords without a wait.
    static let maxTriesWithoutWait = 10
    /// When the limit is reached, one more attempt is permitted after this time.
    static let intervalPerTry = Duration.seconds(10)

    /// From this time on, no earlier attempt counts any more. Each counted attempt moves this time by
    /// ``intervalPerTry``.
    private let triesExpireAt = Mutex(ContinuousClock.now)

    /// Runs `body`, which checks the password.
    /// - Throws: `tooManyPasswords`, and the errors of `body`, with `userUnknown` for a wrong password.
    func runTry<T>(_ password: String?, _ body: () async throws -> T) async throws -> T {
        guard password != nil else { return try await body() }
        try beginTry(at: .now)
        do {
            let result = try await body()
            uncountTry()
            return result
        } catch {
            if case .error(errorType: .userUnknown) = (error as? ChatFailure)?.error { throw error }
            uncountTry()
            throw error
        }
    }

    func beginTry(at now: ContinuousClock.Instant) throws {
        try triesExpireAt.withLock { end in
            let next = max(now, end) + Self.intervalPerTry
            let wait = next - now - Self.intervalPerTry * Self.maxTriesWithoutWait
            guard wait <= .zero else {
                throw ChatFailure(ChatErrorType.tooManyPasswords(retryAfter: wait.components.seconds + 1))
            }
            end = next
        }
    }

    private func uncountTry() { triesExpireAt.withLock { $0 -= Self.intervalPerTry } }
}
