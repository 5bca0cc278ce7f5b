internal import ChatAPI
internal import Synchronization

/// Limits how often passwords of hidden users are tried, whichever way the commands come.
///
/// An attempt counts from its beginning, so that many at a time are no way around, and counts no more when the password was right. Kept in memory.
final class ViewPasswordTries: Sendable {
    /// Wrong ones at once.
    static let burst = 10
    /// After which time one more may be tried.
    static let interval = Duration.seconds(10)

    /// When all wrong ones are forgotten.
    private let end = Mutex(ContinuousClock.now)

    /// Runs what a password opens.
    /// - Throws: `tooManyPasswords`, and what `body` throws: `userUnknown` for a wrong password.
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
            guard wait <= .zero else { throw ChatFailure(ChatErrorType.tooManyPasswords(retryAfter: wait.components.seconds + 1)) }
            end = next
        }
    }

    private func giveBack() { end.withLock { $0 -= Self.interval } }
}
