internal import Concurrency
internal import Synchronization

/// Locks for merge patches: patches of one resource run one after the other, in the order of their requests. So clients
/// that patch a resource at the same time without `If-Match` do not disturb each other.
final class PatchLocks: Sendable {
    private struct Entry {
        let lock = AsyncLock()
        /// Number of patches that run or wait.
        var patchCount = 0
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// Runs a patch when the earlier patches of the resource have ended.
    /// - Parameter path: the path of the resource.
    func runPatch<T>(
        _ path: String,
        _ body: () async throws(ProblemDetails) -> T
    ) async throws(ProblemDetails) -> T {
        let lock = entries.withLock { entries in
            var entry = entries[path] ?? Entry()
            entry.patchCount += 1
            entries[path] = entry
            return entry.lock
        }
        let turn = await lock.acquireTurn()
        defer {
            turn.end()
            entries.withLock { entries in
                entries[path]?.patchCount -= 1
                if entries[path]?.patchCount == 0 { entries[path] = nil }
            }
        }
        return try await body()
    }

    /// Number of resources with patches that run or wait.
    var resourceCount: Int { entries.withLock { $0.count } }
}
