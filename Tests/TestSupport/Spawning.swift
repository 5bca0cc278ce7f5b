import Synchronization

/// Starts the child processes of the tests one at a time.
///
/// Before a child runs its program, it has the descriptors of all tests. So a lock or a port whose owner has released
/// it is free only when no child is being started.
public enum Spawning {
    private static let gate = Mutex(())

    public static func alone<T, E: Error>(_ body: () throws(E) -> sending T) throws(E) -> sending T {
        try gate.withLock { (_) throws(E) -> sending T in try body() }
    }

    /// Returns when no child has descriptors that tests opened before this call.
    public static func settle() { gate.withLock { _ in } }
}
