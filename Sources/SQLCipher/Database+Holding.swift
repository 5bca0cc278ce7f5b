internal import Dispatch
internal import Synchronization

extension Database {
    /// Keeps writes waiting while `body` runs: the committed content is the same all the time. Changes that wait for others are committed before. Reads
    /// go on.
    ///
    /// `body` must not write to the database: it would wait for itself. Whoever holds several databases takes them in the same order everywhere.
    public func holding<T>(_ body: () async throws -> T) async throws -> T {
        let released = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { continuation in
            let beginning = Beginning(continuation)
            let job = WriteJob(
                work: .alone { _ in
                    beginning.resume(nil)
                    released.wait()
                },
                finish: { beginning.resume($0 ?? DatabaseError.closed) })
            if !submit(job) { beginning.resume(DatabaseError.closed) }
        }
        defer { released.signal() }
        return try await body()
    }
}

/// A caller that waits until writes are held. It is resumed once.
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
