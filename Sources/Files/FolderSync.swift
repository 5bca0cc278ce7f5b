import Synchronization

/// Syncs the names in a folder, once for all who wait for it together.
///
/// As with ``DiskFiles/syncFolder(of:)``, a failure is not reported.
public final class FolderSync: Sendable {
    private let sync: @Sendable () -> Void
    /// How many calls there were.
    let asked = Atomic<UInt64>(0)
    /// How many of them are served. Whoever gets the lock next serves all who wait for it.
    private let served = Mutex<UInt64>(0)

    /// - Parameter folder: its path.
    public convenience init(_ folder: String) { self.init { try? DiskFiles.sync(folder) } }

    init(sync: @escaping @Sendable () -> Void) { self.sync = sync }

    /// Returns when all names that were in the folder at the call are on the disk. Blocks.
    public func wait() {
        let own = asked.add(1, ordering: .acquiringAndReleasing).newValue
        served.withLock { served in
            guard served < own else { return }
            let all = asked.load(ordering: .acquiring)
            sync()
            served = all
        }
    }
}
