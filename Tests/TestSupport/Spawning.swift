import Synchronization

/// Child processes of the tests are started one at a time.
///
/// Until it runs its program a child has the descriptors of all other tests: a lock or a port that its owner has just
/// given up is free only when no child is being started.
public enum Spawning {
    private static let gate = Mutex(())

    public static func alone<T, E: Error>(_ body: () throws(E) -> sending T) throws(E) -> sending T {
        try gate.withLock { (_) throws(E) -> sending T in try body() }
    }

    /// Returns when no child has anything of the tests that were before.
    public static func settle() { gate.withLock { _ in } }
}
