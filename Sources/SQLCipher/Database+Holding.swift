internal import Concurrency
internal import Dispatch
internal import Synchronization

extension Database {
    /// Blocks writes while `body` runs, so that the committed content does not change. Changes that wait for a shared
    /// commit are committed before `body` runs. Reads continue.
    ///
    /// `body` must not write to the database: the write would wait for the end of `body`. All callers that hold several
    /// databases must hold them in the same order.
    public func holding<T>(_ body: () async throws -> T) async throws -> T {
        let released = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { continuation in
            let beginning = Beginning(continuation)
            let job = WriteJob(
                work: .alone { _ in
                    beginning.resume(nil)
                    WorkThreads.shared.whileBlocked { released.wait() }
                },
                finish: { beginning.resume($0 ?? DatabaseError.closed) }
            )
            if !submit(job) { beginning.resume(DatabaseError.closed) }
        }
        defer { released.signal() }
        return try await body()
    }
}

/// A caller that waits until writes are blocked. It is resumed once.
private final class Beginning: Sendable {
    private let continuation: Mutex<CheckedContinuation<Void, any Error>?>

    init(_ continuation: CheckedContinuation<Void, any Error>) { self.continuation = Mutex(continuation) }

    func resume(_ error: (any Error)?) {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
    }
}
