import NIOPosix

/// Runs what blocks (files, key derivation) on a thread of the process's pool, so that no thread of the cooperative pool waits.
public func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await NIOThreadPool.singleton.runIfActive(body)
}
