internal import Concurrency
internal import Files

/// The number of crashes of the process while a store was opened, or soon after. The number is the size of a file in
/// the store's folder.
///
/// All functions block the thread.
struct CrashCount: Sendable {
    /// Number of crashes after which the store stays closed, until a client asks for another attempt.
    static let maxCrashes = 2

    let path: String

    var crashCount: Int { Int(clamping: DiskFiles.fileSize(path) ?? 0) }

    func resetCount() { DiskFiles.removeFile(path) }

    static let heldClosedReason =
        "The process crashed \(maxCrashes) times while the store was opened: it stays closed until it is unlocked with \"retry\": true."
}

/// The opening of a store, and the time after it in which a crash of the process counts as a crash of the store.
struct Opening: Sendable {
    /// Counts a crash of the process; nil when the file for crashes cannot be opened.
    let crashMark: CrashMark?
    /// The held lock `crashedStoreLock`, under which stores with earlier crashes are opened one by one; nil for a store
    /// without earlier crashes.
    let crashedStoreTurn: AsyncLock.Turn?
}

extension StoreHost {
    /// Begins to count crashes of the process as crashes of a store. Stores with earlier crashes are opened one after
    /// the other, so that another crash shows which store has caused it.
    /// - Returns: nil when the store has reached the maximal number of crashes and stays closed.
    func beginOpening(_ store: Store) async -> Opening? {
        let turn = store.crashCount > 0 ? await crashedStoreLock.acquireTurn() : nil
        let count = store.folder.crashCount
        let (crashes, mark) =
            (try? await runBlocking {
                let crashes = count.crashCount
                return (crashes, crashes < CrashCount.maxCrashes ? CrashMark(count.path) : nil)
            }) ?? (0, nil)
        store.setCrashCount(crashes)
        return crashes < CrashCount.maxCrashes ? Opening(crashMark: mark, crashedStoreTurn: turn) : nil
    }

    /// Starts a task that calls ``endOpening(_:of:)`` after some time, or when the task is cancelled.
    func endOpeningLater(_ opening: Opening, of store: Store) -> Task<Void, Never> {
        Task { [self, settling = settings.crashWatchTime] in
            try? await Task.sleep(for: settling)
            await endOpening(opening, of: store)
        }
    }

    /// Ends an opening: sets the number of crashes to zero, and no longer counts crashes of the process as crashes of
    /// the store.
    func endOpening(_ opening: Opening, of store: Store) async {
        await store.resetCrashes()
        withExtendedLifetime(opening) { $0.crashedStoreTurn?.end() }
    }

    func logIfHeldClosed(_ store: Store) {
        guard store.isHeldClosed else { return }
        log.critical(
            "a store stays closed",
            metadata: ["store": "\(store.id)", "reason": "\(CrashCount.heldClosedReason)"]
        )
    }
}

extension Store {
    /// Sets the number of crashes to zero, after the process has survived the opening, or when a client asks for
    /// another attempt.
    func resetCrashes() async {
        await runCleanup { [count = folder.crashCount] in count.resetCount() }
        setCrashCount(0)
    }
}
