import NIOPosix

/// Threads that usually wait for the disk. There are more of them than processors, so that the disk can combine several
/// syncs.
private let pool = {
    let pool = NIOThreadPool(numberOfThreads: 8)
    pool.start()
    return pool
}()

/// Runs blocking work (files, key derivation) on a thread of a separate pool, so that no thread of the cooperative
/// pool waits.
public func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await pool.runIfActive(body)
}

/// Runs cleanup work after a failure, even in a cancelled task, in which ``blocking(_:)`` does not run its body.
public func cleaningUp<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async {
    await Task { _ = try? await blocking(body) }.value
}
