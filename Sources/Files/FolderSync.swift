import Synchronization

/// Syncs the names in a folder, once for all callers that wait at the same time.
///
/// A failure is not reported, as in ``DiskFiles/syncParentFolder(of:)``.
package final class FolderSync: Sendable {
    private let syncNames: @Sendable () -> Void
    /// The number of calls of ``waitForSync()`` so far.
    let callCount = Atomic<UInt64>(0)
    /// The number of calls of ``waitForSync()`` that completed syncs have served. The next caller that gets the lock
    /// syncs for all callers that wait for the lock.
    private let servedCallCount = Mutex<UInt64>(0)

    /// Makes an object that syncs the folder at the path `folder`.
    package convenience init(_ folder: String) { self.init { try? DiskFiles.syncEntry(folder) } }

    init(sync: @escaping @Sendable () -> Void) { self.syncNames = sync }

    /// Waits until all names that were in the folder at the call are on the disk. Blocks the thread.
    package func waitForSync() {
        let own = callCount.add(1, ordering: .acquiringAndReleasing).newValue
        servedCallCount.withLock { served in
            guard served < own else { return }
            let all = callCount.load(ordering: .acquiring)
            syncNames()
            served = all
        }
    }
}
