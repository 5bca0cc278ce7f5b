import NIOPosix

/// Threads that usually wait for the disk. There are more of them than processors, so that the disk can combine several
/// syncs.
private let pool = {
    let pool = NIOThreadPool(numberOfThreads: 8)
    pool.start()
    return pool
}()

/// Runs blocking work (files, key derivation) on a thread of a separate pool, so that no thread of the cooperative
/// pool waits. The body has the ``WorkProgress/current`` of the caller.
package func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    guard let progress = WorkProgress.current else { return try await pool.runIfActive(body) }
    return try await pool.runIfActive { try WorkProgress.$current.withValue(progress, operation: body) }
}

/// Runs cleanup work after a failure, even in a cancelled task, in which ``blocking(_:)`` does not run its body.
package func cleaningUp<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async {
    await Task { _ = try? await blocking(body) }.value
}
