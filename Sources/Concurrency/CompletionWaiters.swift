import Synchronization

/// Lets tasks wait until an operation with an id is complete.
package final class CompletionWaiters<ID: Hashable & Sendable>: Sendable {
    private let continuations = Mutex<[ID: [AsyncStream<Void>.Continuation]]>([:])

    package init() {}

    /// Registers the caller as a waiter for an operation that has not begun. The caller then passes the result to
    /// ``waitForCompletion(for:of:atMost:)``. This wait ends at once if the completion was already reported.
    package func expectCompletion(_ id: ID) -> AsyncStream<Void> {
        let (completion, continuation) = AsyncStream.makeStream(of: Void.self)
        continuations.withLock { $0[id, default: []].append(continuation) }
        return completion
    }

    /// Returns whether a task waits, or will wait, for the completion of this operation.
    package func isExpected(_ id: ID) -> Bool { continuations.withLock { $0[id] != nil } }

    /// Reports that an operation is complete, which ends all waits for it.
    package func reportCompletion(_ id: ID) {
        for continuation in continuations.withLock({ $0.removeValue(forKey: id) }) ?? [] { continuation.finish() }
    }

    /// Waits until the operation is complete, or `limit` is over.
    package func waitForCompletion(for completion: AsyncStream<Void>, of id: ID, atMost limit: Duration) async {
        let timer = Task {
            try await Task.sleep(for: limit)
            self.reportCompletion(id)
        }
        for await _ in completion {}
        timer.cancel()
    }
}
