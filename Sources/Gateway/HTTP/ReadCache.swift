internal import Synchronization

/// Cached answers to reads, as bytes. The answers are valid until the revision of the core changes. The revision is a
/// number that changes with the data.
///
/// A read needs a snapshot of the database and an encoding, and most reads are repeated. A cached answer is sent
/// directly from the HTTP library's thread.
final class ReadCache: Sendable {
    /// Maximal number of bytes in all cached bodies.
    private static let maxBytes = 16 * 1024 * 1024

    private struct State {
        var revision: UInt64 = 0
        var answers: [String: PreparedResponse] = [:]
        var totalBytes = 0
    }

    private let state = Mutex(State())

    func findAnswer(_ target: String, at revision: UInt64) -> PreparedResponse? {
        state.withLock { $0.revision == revision ? $0.answers[target] : nil }
    }

    /// Adds an answer to the cache.
    /// - Parameter revision: the revision of the core before the answer was made. If the data has changed since then,
    ///   the answer is not used.
    func addAnswer(_ answer: PreparedResponse, size: Int, for target: String, at revision: UInt64) {
        state.withLock { state in
            if state.revision != revision {
                guard revision > state.revision else { return }
                state = State(revision: revision)
            }
            guard state.totalBytes + size <= ReadCache.maxBytes, state.answers[target] == nil else { return }
            state.answers[target] = answer
            state.totalBytes += size
        }
    }
}
