import NIOPosix

/// Number of threads of ``runBlocking(_:)``, which usually wait for the disk. The number is greater than the usual
/// number of processors, so that the disk can combine several syncs.
package let blockingThreadCount = 8

private let blockingPool = {
    let pool = NIOThreadPool(numberOfThreads: blockingThreadCount)
    pool.start()
    return pool
}()

/// Runs blocking work (files, key derivation) on a thread of a separate pool, so that no thread of the cooperative
/// pool waits. The body has the ``WorkProgress/currentProgress`` of the caller.
package func runBlocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    guard let progress = WorkProgress.currentProgress else { return try await blockingPool.runIfActive(body) }
    return try await blockingPool.runIfActive { try WorkProgress.$currentProgress.withValue(progress, operation: body) }
}

/// Runs cleanup work after a failure, even in a cancelled task, in which ``runBlocking(_:)`` does not run its body.
package func runCleanup<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async {
    await Task { _ = try? await runBlocking(body) }.value
}
