import Synchronization

/// Starts the child processes of the tests one at a time.
///
/// A new child process has copies of all descriptors of the tests until it runs its program. While such a child exists,
/// a lock or port that a test has released is still in use.
package enum Spawning {
    private static let spawnLock = Mutex(())

    package static func runAlone<T, E: Error>(_ body: () throws(E) -> sending T) throws(E) -> sending T {
        try spawnLock.withLock { (_) throws(E) -> sending T in try body() }
    }

    /// Waits until no child process that is being started has copies of descriptors from before this call.
    package static func waitForChildren() { spawnLock.withLock { _ in } }
}
