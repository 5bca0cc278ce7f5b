import Glibc

/// The error that the system cannot start another thread.
package struct NoThread: Error, Sendable {
    /// The error code of `pthread_create(3)`.
    package let code: Int32
}

/// Starts a new thread for each call that blocks for a long time.
package enum BlockingThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, which ends after `body`.
    package static func startThread(_ body: @escaping @Sendable () -> Void) throws(NoThread) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        guard code == 0 else {
            work.release()
            throw NoThread(code: code)
        }
        pthread_detach(thread)
    }

    /// Runs `body` on a new thread like ``startThread(_:)``. If no thread can be started, the calling thread runs
    /// `body`.
    package static func runOnThread(_ body: @escaping @Sendable () -> Void) {
        do throws(NoThread) { try startThread(body) } catch { body() }
    }

    /// Runs `body` like ``runOnThread(_:)``, and returns its result. Unlike `runBlocking`, it waits for no other work.
    package static func callOnThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in runOnThread { continuation.resume(returning: body()) } }
    }
}
