internal import ChatAPI
internal import Synchronization

/// Limits how often passwords of hidden users are tried, for all ways in which commands arrive.
///
/// An attempt counts from its beginning, so that parallel attempts cannot bypass the limit. An attempt that does not
/// fail with `userUnknown` is given back. The count is kept in memory.
final class ViewPasswordTries: Sendable {
    /// The maximum number of wrong passwords in a row without waiting.
    static let burst = 10
    /// The time after which one more attempt is allowed.
    static let interval = Duration.seconds(10)

    /// The time at which all wrong attempts are forgotten.
    private let end = Mutex(ContinuousClock.now)

    /// Runs `body`, which checks the password.
    /// - Throws: `tooManyPasswords`, and the errors of `body`, with `userUnknown` for a wrong password.
    func trying<T>(_ password: String?, _ body: () async throws -> T) async throws -> T {
        guard password != nil else { return try await body() }
        try begin(at: .now)
        do {
            let result = try await body()
            giveBack()
            return result
        } catch {
            if case .error(errorType: .userUnknown) = (error as? ChatFailure)?.error { throw error }
            giveBack()
            throw error
        }
    }

    func begin(at now: ContinuousClock.Instant) throws {
        try end.withLock { end in
            let next = max(now, end) + Self.interval
            let wait = next - now - Self.interval * Self.burst
            guard wait <= .zero else {
                throw ChatFailure(ChatErrorType.tooManyPasswords(retryAfter: wait.components.seconds + 1))
            }
            end = next
        }
    }

    private func giveBack() { end.withLock { $0 -= Self.interval } }
}
