import Synchronization

/// Lets the commands that accept requests wait for the agent to have joined, or to have failed.
final class JoinWaiters: Sendable {
    private let tellers = Mutex<[Int64: [AsyncStream<Void>.Continuation]]>([:])

    /// From here on it is noticed when the request is told of.
    func expect(_ requestId: Int64) -> AsyncStream<Void> {
        let (told, teller) = AsyncStream.makeStream(of: Void.self)
        tellers.withLock { $0[requestId, default: []].append(teller) }
        return told
    }

    /// Whether a command is going to tell what becomes of the request.
    func isExpected(_ requestId: Int64) -> Bool { tellers.withLock { $0[requestId] != nil } }

    /// Ends all waiting for the request.
    func tell(_ requestId: Int64) {
        for teller in tellers.withLock({ $0.removeValue(forKey: requestId) }) ?? [] { teller.finish() }
    }

    /// Waits until the request is told of, or `limit` is over.
    func wait(for told: AsyncStream<Void>, of requestId: Int64, atMost limit: Duration) async {
        let timer = Task {
            try await Task.sleep(for: limit)
            self.tell(requestId)
        }
        for await _ in told {}
        timer.cancel()
    }
}
